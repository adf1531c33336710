"""The integer interpreter: what every SSA value holds in every program, warp of a tile and loop iteration."""
