"""Everything that is worked out of one kernel and launch before any analysis runs."""
