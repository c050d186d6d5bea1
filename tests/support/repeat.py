"""``scripts/test --repeat``: runs tests many times beside a load; finds those that do not end the same every time."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.record import FILE


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0 if all tests passed, or were skipped, every time."""
    parser = argparse.ArgumentParser(prog="scripts/test", description=__doc__)
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="how many times")
    parser.add_argument("--load", type=int, default=0, metavar="L", help="so many processes keep the processors busy")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest")
    chosen = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="repeat-", dir="/tmp"))  # short: sockets are made below
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    kept: dict[str, list[Path]] = defaultdict(list)
    failed = 0
    with load(chosen.load):
        for number in range(1, chosen.repeat + 1):
            own = folder / str(number)
            own.mkdir()
            began = time.monotonic()
            code = run(chosen.pytest, own)
            ended = read(own / "record.jsonl")
            told = Counter(ended.values())
            print(
                f"run {number} of {chosen.repeat}: exit code {code}, {time.monotonic() - began:.0f} s, "
                + ", ".join(f"{count} {outcome}" for outcome, count in sorted(told.items())),
                flush=True,
            )
            for test, outcome in ended.items():
                outcomes[test][outcome] += 1
                if outcome == "failed":
                    kept[test].append(own)
            failed += code != 0
            if code == 0:
                shutil.rmtree(own, ignore_errors=True)
    for test, counts in sorted(outcomes.items()):
        if len(counts) > 1 or "failed" in counts or counts.total() != chosen.repeat:
            where = "".join(f"\n    {own}/output.txt" for own in kept[test])
            print(
                f"{test}: {', '.join(f'{count} times {outcome}' for outcome, count in sorted(counts.items()))}{where}"
            )
    if failed:
        print(f"{failed} of {chosen.repeat} runs failed; their output and temporary folders: {folder}")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(outcomes)} tests ended the same in {chosen.repeat} runs")
    return 0


def run(arguments: Sequence[str], folder: Path) -> int:
    with (folder / "output.txt").open("wb") as output:
        return subprocess.run(
            [sys.executable, "-m", "pytest", f"--basetemp={folder}/t", *arguments],
            env={**os.environ, FILE: str(folder / "record.jsonl")},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode


def read(path: Path) -> dict[str, str]:
    """The outcome of each test; none of a run that died."""
    if not path.exists():
        return {}
    return {entry["test"]: entry["outcome"] for entry in map(json.loads, path.read_text().splitlines())}


#: Ends with the process that started it, however that one ends.
_BUSY = f"""
import os
while os.getppid() == {os.getpid()}:
    for _ in range(1_000_000):
        pass
"""


@contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that only take time of the processors."""
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
