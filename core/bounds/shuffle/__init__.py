"""Upper and lower bounds on the central ε of a shuffled collection of local reports."""
