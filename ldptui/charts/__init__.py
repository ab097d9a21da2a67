"""From numbers to styled rows: series, figures, curves, and the drawing of them."""
