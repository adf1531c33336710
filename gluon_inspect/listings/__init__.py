"""A kernel's texts side by side, before any drawing: source, IR and assembly, line by line.

`document.Document` is a text with the author's places of its lines; `links` says which lines of one belong to a
line of another; `heat` gives lines their share of the expected time; `marks` the findings of source lines.
"""
