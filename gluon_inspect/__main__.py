"""`python -m gluon_inspect`."""

from __future__ import annotations

import sys

from gluon_inspect.cli import main

if __name__ == "__main__":
    sys.exit(main())
