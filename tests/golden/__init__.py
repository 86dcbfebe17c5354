"""What the sample comics read as, and how that is shown; `regenerate` writes it anew, on purpose only."""
