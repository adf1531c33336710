"""Machine code as text and as binaries: SASS, PTX, AMDGCN, cubin, hsaco; instructions by kind, line and loop."""
