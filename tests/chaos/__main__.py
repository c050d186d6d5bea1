"""``python -m tests.chaos``, in the checkout's folder."""

from tests.chaos.command import main

if __name__ == "__main__":
    main()
