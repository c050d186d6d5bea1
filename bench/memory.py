"""The most memory that the tree of processes of another side has."""

from __future__ import annotations

from typing import Any

from bench.processes import run_side


def peak(target: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Run another side and watch its memory every 100 ms."""
    return of(run_side(target, parameters, sample=True))


def short(executor: str) -> dict[str, Any]:
    """The same for the job of four records."""
    from bench.short import run

    return of(run(executor, sample=True))


def of(result: dict[str, Any]) -> dict[str, Any]:
    """A result whose value is the peak."""
    found = result["peak"]
    return {
        "value": found["mb"],
        "measure": found["measure"],
        "samples": found["samples"],
        "rate": result["value"],
        "parts": {**found["by_program"], "processes": found["processes"]},
    }
