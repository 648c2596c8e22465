"""Weights: which there are, where they come from, whether they are what the manifest says."""
