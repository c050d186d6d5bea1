"""The `datastream` command. Importing this package imports nothing heavy; a command loads its own needs."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the `datastream` command.

    Args:
        args: Arguments without the program's name; None means those of the process.
    """
    from .commands import cli

    cli.main(args=None if args is None else list(args), prog_name="datastream")
