"""Results that lie beside the code, ``bench/results/NAME.txt``, so that a review shows what became slower."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.table import number

RESULTS = Path(__file__).parent / "results"

#: Ratios that changed by more are told.
_CHANGED = 0.05
_COLUMNS = "{:32} {:>14} {:>14} {:>14} {:>8}"
#: Begins the last line, which has the ratios for the comparison with the next run.
_RATIOS = "ratios: "


def publish(case: dict[str, Any], machine: dict[str, Any], folder: Path = RESULTS) -> list[str]:
    """Write what a case gave over what the file says.

    Args:
        case: As `bench.runner.run_case` gives it.
        machine: As `bench.machine.facts` gives it.
        folder: Where results lie.

    Returns:
        A line for each side whose ratio to the baseline is another by more than 5 %.
    """
    ratios = {side["name"]: round(side["ratio"], 3) for side in case["sides"] if side["name"] != case["baseline"]}
    return _write(folder / f"{case['id']}.txt", _lines(case, machine), ratios)


def publish_pairs(
    name: str, title: str, machine: dict[str, Any], pairs: dict[str, tuple[float, float]], folder: Path = RESULTS
) -> list[str]:
    """Write rates of two sides over what the file says.

    Args:
        name: Of the file.
        title: What was measured, in one line.
        machine: As `bench.machine.facts` gives it.
        pairs: By what was run, the rate here and that of the other side.
        folder: Where results lie.

    Returns:
        A line for each ratio that is another by more than 5 %.
    """
    ratios = {what: round(here / there, 3) for what, (here, there) in pairs.items()}
    lines = [f"{name}: {title}", _where(machine), "", "{:8} {:>14} {:>14} {:>8}".format("", "here", "there", "ratio")]
    lines += [f"{what:8} {here:14,.0f} {there:14,.0f} {here / there:8.2f}" for what, (here, there) in pairs.items()]
    lines += [f"median of the ratios: {statistics.median(ratios.values()):.2f}; least: {min(ratios.values()):.2f}", ""]
    return _write(folder / f"{name}.txt", lines, ratios)


def _write(path: Path, lines: Iterable[str], ratios: dict[str, float]) -> list[str]:
    changed = list(_changes(path, ratios))
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, f"{_RATIOS}{json.dumps(ratios)}"]) + "\n")
    return changed


def _changes(path: Path, ratios: dict[str, float]) -> Iterator[str]:
    if not path.exists():
        return
    before = json.loads(path.read_text().splitlines()[-1].removeprefix(_RATIOS))
    for name, now in ratios.items():
        if name in before and abs(now - before[name]) > _CHANGED * before[name]:
            yield f"{path.stem}: {name}: {now:.2f} of the baseline, was {before[name]:.2f}"


def _lines(case: dict[str, Any], machine: dict[str, Any]) -> Iterator[str]:
    yield f"{case['id']}: {case['title']}"
    yield case["note"]
    yield _where(machine)
    yield ""
    yield _COLUMNS.format(case["unit"], "median", "least", "most", "ratio")
    for side in case["sides"]:
        figures = (number(side[name]) for name in ("median", "least", "most"))
        yield _COLUMNS.format(side["name"], *figures, f"{side['ratio']:.2f}")
    for side in case["sides"]:
        lengths = [ms for run in side["runs"] for ms in run.get("totals", ())]
        if len(lengths) > 1:
            at = statistics.quantiles(lengths, n=100, method="inclusive")
            of = {"p50": at[49], "p90": at[89], "p99": at[98], "p100": max(lengths)}
            told = ", ".join(f"{name} {number(ms)}" for name, ms in of.items())
            yield f"epochs of {side['name']}: {len(lengths)}, in ms: {told}"
    yield ""


def _where(machine: dict[str, Any]) -> str:
    """What was measured on, in one line."""
    return "; ".join(f"{name}: {value}" for name, value in {"commit": _commit(), **machine}.items())


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty=, changed"]
    done = subprocess.run(command, cwd=RESULTS.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
