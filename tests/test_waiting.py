"""Tests wait for conditions, with `tests.support.waiting.wait_until`, and never for a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import wait_until

TESTS = Path(__file__).parent
_CHAOS = "strikes at random moments"
_COMMAND = "a command that measures and reports while it waits"
_CLOCK = "the clock itself is the subject"
#: Files that may sleep, and why.
ALLOWED = {
    "chaos/supervisor.py": _CHAOS,
    "chaos/systems/system.py": _CHAOS,
    "chaos/systems/trial.py": _CHAOS,
    "chaos/victims.py": _CHAOS,
    "integration/test_state_model.py": _CHAOS,
    "services/test_runner_upgrade.py": _CHAOS,
    "compose/command.py": _COMMAND,
    "kubernetes/flights.py": _COMMAND,
    "kubernetes/namespace.py": _COMMAND,
    "pictures/__main__.py": _COMMAND,
    "connectors/kinesis/test_kinesis_source.py": _CLOCK,
    "connectors/test_rabbitmq.py": "heartbeats have to be missed",
    "integration/test_interrupts.py": "nothing is to happen for a while",
    "integration/test_lost_checkpoints.py": "a function of a job that waits for a folder",
    "connectors/kafka/test_kafka_source_planning.py": "an interval has to pass",
    "semantics/test_state_ttl.py": _CLOCK,
    "semantics/test_windows_of_the_clock.py": _CLOCK,
    "services/gateway/test_hostile_drivers.py": "a driver that drips its answer",
    "services/test_runner_scaling.py": "a load stays as it is for a while",
    "support/waiting.py": "the one helper",
}


def sleeps(tree: ast.AST, within: bool = False) -> Iterator[int]:
    """The lines of sleeps in loops with a condition, and directly in tests."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep") and within:
            yield node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from sleeps(node, getattr(node, "name", "").startswith("test_"))
        else:
            yield from sleeps(node, within or isinstance(node, ast.While))


def test_nothing_waits_for_a_time() -> None:
    found = {
        str(path.relative_to(TESTS)): lines
        for path in TESTS.rglob("*.py")
        if "sleep" in (text := path.read_text()) and (lines := list(sleeps(ast.parse(text))))
    }
    assert {name: lines for name, lines in found.items() if name not in ALLOWED} == {}, "use wait_until"
    assert set(ALLOWED) <= set(found), "they sleep no longer"


def test_the_limit_says_what_was_seen() -> None:
    assert wait_until(lambda: 3, "number") == 3
    with pytest.raises(AssertionError, match=r"no number within \d+ s, but 0\nthe log"):
        wait_until(lambda: 0, "number", limit_s=0.0, seen=lambda: "the log")
