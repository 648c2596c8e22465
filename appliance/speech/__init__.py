"""Hearing and speaking: audio, voice detection, recognition, voices; each engine in its own process."""
