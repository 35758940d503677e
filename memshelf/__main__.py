"""`python -m memshelf`."""

import sys

from memshelf.cli import main

if __name__ == "__main__":
    sys.exit(main())
