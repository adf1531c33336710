"""Why a layout is slow, what to write instead, and what that buys."""
