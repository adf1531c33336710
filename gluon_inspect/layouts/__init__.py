"""Pure GF(2): an encoding and a shape become a linear layout. Nothing else knows encodings."""
