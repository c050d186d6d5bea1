"""``python -m bench.connectors.tables``: rows written and read by SQL, and by the bare client alone."""

from __future__ import annotations

import click

from bench.connectors.sides import Rates
from bench.ready_rows import BLOCK, BLOCKS, rows_of
from tests.support.servers.unavailable import UnavailableError

from . import databases, files, queues, search, topics
from .sides import CASES, KEYS, Systems, begin

MODULES = (files, topics, databases, search, queues)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--rows", type=click.IntRange(1, BLOCK * BLOCKS), help="Rows of a round. Default: as the case says.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
@click.option("--list", "listed", is_flag=True, help="Print the names of the cases.")
def main(names: tuple[str, ...], rows: int | None, rounds: int, listed: bool) -> None:
    """Compare tables of connectors with the bare client, in one process with one connection each.

    NAME is a case, or what the names of some begin with, such as kafka. Default: all.
    """
    chosen = [name for name in CASES if not names or name.startswith(names)]
    if listed:
        print(*chosen, sep="\n")
        return
    if not chosen:
        raise click.BadParameter(f"there is no case {', '.join(names)}; --list prints all")
    begin()
    heading = True
    with Systems() as systems:
        for name in chosen:
            given = rows_of(-(-(rows or CASES[name].rows) // BLOCK) * BLOCK, KEYS)
            rates = Rates(len(given))
            try:
                for number in range(rounds):
                    for pair in CASES[name].pairs(systems, given):
                        sides = (False, True) if number % 2 else (True, False)
                        for ours in sides:
                            if ours:
                                rates.add(f"{pair.what}, ours", pair.ours(), pair.count)
                            else:
                                rates.measure(f"{pair.what}, bare", pair.bare, pair.count)
            except UnavailableError as error:
                print(f"{name}: {error}")
                continue
            rates.show_pairs(name, heading)
            heading = False


if __name__ == "__main__":
    main()
