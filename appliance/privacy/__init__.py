"""What leaves the box, what is kept and for how long, and what may stand in a log."""
