"""``python -m datastream.services.runner``."""

from datastream.services.runner.command import main

if __name__ == "__main__":
    main()
