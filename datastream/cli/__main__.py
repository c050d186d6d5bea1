"""``python -m datastream.cli`` is the `datastream` command."""

from datastream.prompt_signals import forget_interrupts

from . import main

if __name__ == "__main__":
    try:
        main()
    finally:
        forget_interrupts()
