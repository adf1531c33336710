"""Expected time of an access and of a kernel from static numbers; occupancy."""
