"""Layouts drawn: who owns which element, as a small picture of the pattern and the steps that repeat it."""
