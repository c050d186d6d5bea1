"""What each file's tests take, by the last whole runs: tests/support/seconds.json.

What takes longest begins first, and the parts of the long tests are as long as one another.
``python -m tests.support.seconds`` brings the file up to date from the records of runs in ``.cache/tests``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_suffix(".json")
#: Runs: of `scripts/test`, and of `scripts/test --long`.
USUAL, LONG = "usual", "long"
#: What a test is expected to take whose file is in no record, in seconds.
_EXPECTED_S = {USUAL: 0.3, LONG: 5.0}
#: Files that take less are not kept.
_LEAST_S = {USUAL: 3.0, LONG: 1.0}
#: Records of fewer tests are of no whole run: parts of the long tests are.
_LEAST_TESTS = {USUAL: 5_000, LONG: 100}


def file_of(test: str) -> str:
    return test.partition("::")[0]


def seconds_of(items: Iterable[pytest.Item], run: str) -> dict[str, float]:
    """File -> what its tests are expected to take in a run."""
    counts: dict[str, int] = defaultdict(int)
    for item in items:
        counts[file_of(item.nodeid)] += 1
    recorded = json.loads(FILE.read_text())[run]
    return {file: recorded.get(file, count * _EXPECTED_S[run]) for file, count in counts.items()}


def parts_of(seconds: dict[str, float], parts: int) -> dict[str, int]:
    """File -> its part, from 1: each file, longest first, goes to the part that has least."""
    sums = [0.0] * parts
    part: dict[str, int] = {}
    for file in sorted(seconds, key=lambda file: (-seconds[file], file)):
        least = sums.index(min(sums))
        sums[least] += seconds[file]
        part[file] = least + 1
    return part


def learn(known: dict[str, dict[str, float]], records: Iterable[Path]) -> dict[str, dict[str, float]]:
    """What is known, with what records have, oldest first; files that have gone are left out."""
    for path in records:
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        run = LONG if any(entry["long"] for entry in entries) else USUAL
        if len(entries) < _LEAST_TESTS[run]:
            continue
        sums: dict[str, float] = defaultdict(float)
        for entry in entries:
            sums[file_of(entry["test"])] += sum(entry["seconds"].values())
        known[run] |= {file: round(seconds, 1) for file, seconds in sums.items()}
    return {
        run: {
            file: took
            for file, took in sorted(seconds.items(), key=lambda entry: (-entry[1], entry[0]))
            if took >= _LEAST_S[run] and (ROOT / file).exists()
        }
        for run, seconds in known.items()
    }


if __name__ == "__main__":
    learned = learn(json.loads(FILE.read_text()), sorted((ROOT / ".cache" / "tests").glob("*.jsonl")))
    FILE.write_text(json.dumps(learned, indent=1) + "\n")
