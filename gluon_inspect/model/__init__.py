"""Frozen data that crosses the arrows capture -> parse -> analyse -> report. No I/O, no third party."""
