"""The reports of a trial and the counts of a block of trials: sent, sifted, verified, counted."""
