"""The examples in PyFlink's docstrings: which there are, and which are run.

They are read from PyFlink's package on PyPI when they run; kept here is only what they gave.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.parity.docstrings.reading import examples

#: The script that runs an example, on both sides.
RUNNING = Path(__file__).with_name("running.py")
_FAILED = re.compile("raises |no program$")
#: Parts of the package without an API of its users.
_NO_API = {"examples", "fn_execution", "proto", "testing", "tests"}


def judged(flink: list[str], ours: list[str]) -> tuple[list[str], list[str]]:
    """What two sides printed, without the statements that fail on Flink: they say nothing of what users do.

    Args:
        flink: Lines of Flink's side.
        ours: Lines of this project's.
    """
    failed = {place for place, lines in _by_statement(flink).items() if any(map(_FAILED.match, lines))}

    def kept(lines: list[str]) -> list[str]:
        found = _by_statement(lines)
        return [line for place in found if place not in failed for line in (place, *found[place])]

    return kept(flink), kept(ours)


def runs_whole(flink: list[str]) -> bool:
    """Whether no statement fails on Flink, by what was printed there."""
    return not any(map(_FAILED.match, flink))


def _by_statement(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        if re.fullmatch(r"\[\d+\]", line):
            found[line] = []
        else:
            found[next(reversed(found))].append(line)
    return found


def left_out() -> dict[str, list[str]]:
    """Reason -> the examples that are not run."""
    table = tomllib.loads(Path(__file__).with_name("examples.toml").read_text())
    return {reason: names for reason, names in table["left out"].items()}


def run_examples() -> list[str]:
    """The names of the examples that are run, as ``module-Class.method``."""
    names: list[str] = tomllib.loads(Path(__file__).with_name("examples.toml").read_text())["run"]
    return names


def examples_of(package: Path) -> list[str]:
    """All docstrings of the package that have examples."""
    found = []
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).with_suffix("").parts
        if not _NO_API & {*module}:
            found += [f"{'.'.join(module)}-{name}" for name, _ in examples(path)]
    return found
