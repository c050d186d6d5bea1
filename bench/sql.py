"""SQL here and in real PyFlink: the same script, one after the other. `python -m bench.sql [CASE ...]`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.parity.flink import CannotRun, python_of_flink
from tests.support.processes import datastream

SCRIPT = Path(__file__).parent / "jobs" / "sql_case.py"
#: Case -> rows for here, and for Flink.
CASES = {
    "calc": (4_000_000, 2_000_000),
    "udf": (4_000_000, 400_000),
    "group": (3_000_000, 1_000_000),
    "group_mini_batch": (4_000_000, 2_000_000),
    "tumble": (4_000_000, 1_000_000),
}
ROUNDS = 3


def main() -> None:
    """Measure and print."""
    names = sys.argv[1:] or list(CASES)
    flink: tuple[str, dict[str, str]] | None = None
    try:
        flink = python_of_flink()
    except CannotRun as error:
        print(error, file=sys.stderr)
    table = Table(title=f"Rows/s; medians of {ROUNDS} rounds", title_justify="left")
    for heading in ("case", "here", "PyFlink", "ratio"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for name in names:
        ours, theirs = CASES[name]
        here, there = [], []
        for _ in range(ROUNDS):
            here.append(ours / _seconds([*map(str, datastream("run", "--no-progress", SCRIPT, name, ours))], None))
            if flink is not None:
                python, variables = flink
                there.append(theirs / _seconds([python, str(SCRIPT), name, str(theirs)], variables))
        median = statistics.median(here)
        other = statistics.median(there) if there else None
        table.add_row(
            name,
            f"{median:,.0f}",
            "" if other is None else f"{other:,.0f}",
            "" if other is None else f"{median / other:.1f}",
        )
    Console().print(table)


def _seconds(command: list[str], variables: dict[str, str] | None) -> float:
    env = {**os.environ, **(variables or {})}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    found = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("seconds ")]
    if not found:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return float(found[0])


if __name__ == "__main__":
    main()
