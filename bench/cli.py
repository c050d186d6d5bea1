"""The command line."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bench.cases import FULL, QUICK, cases, chosen
from bench.processes import SideError

_CASES = "\n".join(f"  {case.id:<8}{case.title}" for case in cases(FULL).values())


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"\b\nCases:\n{_CASES}",
)
@click.option("--case", "wanted", metavar="A,B,...", help="Only these; 'a' means a1 and a2.  [default: all]")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each side, taken in turn.  [default: 3; f: 5]")
@click.option("--quick", is_flag=True, help="Small sizes: to see that it works, not to measure.")
@click.option("--json", "json_file", metavar="FILE", help="Write everything, each run too, as JSON.")
@click.option("--publish", is_flag=True, help="Write each case to bench/results, and tell what changed by over 5 %.")
@click.option("--profile", is_flag=True, help="Instead of the cases: where the time of a four-record job goes.")
def main(
    wanted: str | None, runs: int | None, quick: bool, json_file: str | None, publish: bool, profile: bool
) -> None:
    """Measure the engine against plain Python and plain PySpark, and print tables."""
    console = Console(width=None if sys.stdout.isatty() else 150)
    if profile:
        from bench import profile_run

        try:
            report = profile_run.profile(tell)
        except SideError as error:
            sys.exit(str(error))
        profile_run.show(console, report)
        write(json_file, report)
        return
    if publish and quick:
        raise click.UsageError("--publish needs the full sizes: leave out --quick")
    size = QUICK if quick else FULL
    try:
        picked = chosen(wanted, size)
    except KeyError as missing:
        raise click.UsageError(f"there is no case {missing}; --help lists them") from None
    from bench import results
    from bench.machine import facts
    from bench.runner import run_case
    from bench.table import show

    changed: list[str] = []
    report: dict[str, Any] = {"machine": facts(), "quick": quick, "cases": [], "failed": {}}
    try:
        for case in picked:
            try:
                report["cases"].append(run_case(case, runs or case.runs or 3, size.text_mb, tell))
                if publish:
                    changed += results.publish(report["cases"][-1], report["machine"])
            except SideError as error:
                report["failed"][case.id] = str(error)
                tell(f"{case.id} failed: {error}")
            write(json_file, report)
    except KeyboardInterrupt:
        tell("interrupted; these cases had ended")
    show(console, report)
    for line in changed:
        tell(f"changed: {line}")
    if report["failed"]:
        sys.exit(f"failed: {', '.join(report['failed'])}")


def tell(text: str) -> None:
    """Progress, on stderr."""
    click.echo(f"{time.strftime('%H:%M:%S')} {text}", err=True)


def write(path: str | None, report: dict[str, Any]) -> None:
    """Write a report as JSON, if a file was given."""
    if path:
        Path(path).write_text(json.dumps(report, indent=1) + "\n")
