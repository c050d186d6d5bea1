"""``python -m datastream.services.gateway``."""

from datastream.prompt_signals import forget_interrupts
from datastream.services.gateway.command import main

if __name__ == "__main__":
    try:
        main()
    finally:
        forget_interrupts()
