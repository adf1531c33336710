"""Global memory, lane by lane: vector widths, requests, sectors, and how requests of one program meet again."""
