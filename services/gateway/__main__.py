"""``python -m datastream.services.gateway``."""

from datastream.services.gateway.command import main

if __name__ == "__main__":
    main()
