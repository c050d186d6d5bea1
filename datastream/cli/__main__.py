"""``python -m datastream.cli`` is the `datastream` command."""

from . import main

if __name__ == "__main__":
    main()
