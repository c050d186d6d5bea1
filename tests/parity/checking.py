"""Compares what a script did with what is recorded."""

from __future__ import annotations

from tests.parity.cases import Script, accepted, verdict
from tests.parity.outcome import Outcome


def check(script: Script, outcome: Outcome) -> None:
    """
    Raises:
        AssertionError: The outcome is not Flink's, or an accepted difference has vanished.
    """
    diff = script.differences(script.recorded(), outcome)
    said = verdict(diff, accepted().get(script.name))
    assert said != "no longer differs", f"{script.name} is as on Flink now: take it out of accepted.toml"
    lines = [f"{what}:\n  " + "\n  ".join(part) for what, part in diff.items()]
    assert said != "differs", f"{script.name} (- Flink, + here)\n" + "\n".join(lines)
