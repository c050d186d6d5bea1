"""``python -m tests.compose``."""

from tests.compose.command import main

if __name__ == "__main__":
    main()
