"""Engine processes: how they are spoken to, started, watched and restarted. Knows no model."""
