"""LDS of AMD waves: lane groups, cycles, instructions."""
