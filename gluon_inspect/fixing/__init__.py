"""Proposals as edits of the author's source: only the bytes that change are touched."""
