"""Runs the sides of a case in turn, each in a process of its own."""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.model import Case, Side
from bench.processes import run_side
from bench.work import text_file

Tell = Callable[[str], None]


def run_case(case: Case, runs: int, text_mb: int, tell: Tell) -> dict[str, Any]:
    """Run a case.

    Args:
        case: The case.
        runs: Number of runs of each side, taken in turn.
        text_mb: Size of the text, for the case that reads one.
        tell: Told of the progress.

    Returns:
        The case with its sides, their runs, medians and ratios, ready for JSON.
    """
    with _within(case) as given:
        results = _runs(case, runs, lambda side: {**_parameters(side, text_mb), **given}, tell)
    baseline = case.baseline or max((side.name for side in case.sides[1:]), key=lambda name: _median(results[name]))
    return {
        "id": case.id,
        "title": case.title,
        "unit": case.unit,
        "baseline": baseline,
        "note": case.note,
        "parts": case.parts,
        "sides": [_summary(side.name, results[side.name], results[baseline]) for side in case.sides],
    }


@contextmanager
def _within(case: Case) -> Iterator[dict[str, Any]]:
    """What all runs of a case are within, and the parameters that it gives."""
    if case.within is None:
        yield {}
        return
    module, _, function = case.within["target"].partition(":")
    with getattr(importlib.import_module(module), function)(**case.within["parameters"]) as given:
        yield given


def _runs(
    case: Case, runs: int, parameters: Callable[[Side], dict[str, Any]], tell: Tell
) -> dict[str, list[dict[str, Any]]]:
    """Side -> what its runs gave."""
    if case.warm_up:
        for side in case.sides:
            tell(f"{case.id}: {side.name}, not counted")
            run_side(side.target, parameters(side))
    results: dict[str, list[dict[str, Any]]] = {side.name: [] for side in case.sides}
    for run in range(runs):
        for side in case.sides:
            tell(f"{case.id}: {side.name}, run {run + 1} of {runs}")
            result = run_side(side.target, parameters(side))
            results[side.name].append(result)
            tell(f"{case.id}: {side.name}: {result['value']:,.4g} {case.unit}")
    return results


def _parameters(side: Side, text_mb: int) -> dict[str, Any]:
    if side.target.endswith(":words"):
        return {**side.parameters, "path": str(text_file(text_mb))}
    return side.parameters


def _median(runs: list[dict[str, Any]]) -> float:
    return statistics.median(run["value"] for run in runs)


def _summary(name: str, runs: list[dict[str, Any]], baseline: list[dict[str, Any]]) -> dict[str, Any]:
    values = [run["value"] for run in runs]
    median = _median(runs)
    ratios = [run["value"] / other["value"] for run, other in zip(runs, baseline, strict=True)]
    names = dict.fromkeys(part for run in runs for part in run.get("parts", {}))
    parts = {n: statistics.median(run["parts"][n] for run in runs if n in run["parts"]) for n in names}
    return {
        "name": name,
        "median": median,
        "least": min(values),
        "most": max(values),
        "ratio": median / _median(baseline),
        "ratio_least": min(ratios),
        "ratio_most": max(ratios),
        "parts": parts,
        "runs": runs,
    }
