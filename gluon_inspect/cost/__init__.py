"""Expected time of an access and of a kernel from static numbers; occupancy.

`launch.launch_cost(facts)` is the one way in: a `KernelCost` with the time, its band and its parts. Where the time
goes is its `standing` (one entry an instruction of the kernel's function, by index and by line of the assembly's
text) and `standing_by_line()` (one an author's line); each entry has its share of the expected time (0 to 1), what
of it goes to which stall, and the `dominant` one. Shares add up to about 1: instructions below a thousandth are
left out.
"""
