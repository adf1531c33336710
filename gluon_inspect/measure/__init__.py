"""Timing and counters on a real GPU."""
