"""Bulk copies (TMA, TDM): boxes, bytes, and when they are waited for."""
