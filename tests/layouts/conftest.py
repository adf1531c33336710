"""Brute force takes its time on a shared machine: no deadline a case."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
