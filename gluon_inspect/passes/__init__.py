"""What each compiler pass did: states of the IR, what changed between them, and who is to blame."""
