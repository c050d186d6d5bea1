"""The command ``scripts/parity``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

from tests.parity.cases import Script, accepted, scripts, verdict
from tests.parity.flink import CannotRun, real
from tests.parity.fuzz.command import fuzz
from tests.parity.outcome import Outcome
from tests.parity.runner import CUT_OFF, Runner, ours


def main() -> int:
    """Exit code: 0 all are equal but for accepted differences, 1 some differ, 2 it cannot run."""
    asked = _parser().parse_args()
    try:
        if asked.fuzz:
            return fuzz(asked.fuzz, asked.seed, asked.first, not asked.quiet)
        chosen = scripts(asked.names)
        if asked.record:
            return record(chosen)
        return compare(chosen, asked.only, "spark" if asked.spark else "local", asked.quiet)
    except (CannotRun, LookupError) as error:
        print(f"parity: {error}", file=sys.stderr)
        return 2


def record(chosen: list[Script]) -> int:
    """Keep what real Flink does."""
    changed = cut_off = 0
    with real() as runner:
        for script, outcome in _outcomes(chosen, [runner]):
            if (outcome[0].error or "").startswith(CUT_OFF):
                cut_off += 1
                print(f"not recorded: {outcome[0].error}", flush=True)
                continue
            text = outcome[0].text()
            said = "new"
            if script.record.exists():
                said = "as before" if script.record.read_text() == text else "changed"
            changed += said != "as before"
            script.record.parent.mkdir(parents=True, exist_ok=True)
            script.record.write_text(text)
            print(f"{said}{f': {outcome[0].error}' if outcome[0].error else ''}", flush=True)
    done = len(chosen) - cut_off
    print(f"\n{done} recorded, {changed} new or changed; `git diff tests/parity/recorded` shows them")
    return 1 if cut_off else 0


def compare(chosen: list[Script], only: str | None, executor: str, quiet: bool) -> int:
    """Run both sides, or one against what is recorded, and say where they differ."""
    known = {} if only == "real" else accepted()
    counts = dict.fromkeys(("equal", "accepted", "differs", "no longer differs"), 0)
    diffs: list[str] = []
    with ExitStack() as stack:
        sides = [stack.enter_context(side) for side in _sides(only, executor)]
        for script, found in _outcomes(chosen, sides):
            flink = found[0] if only is None else script.recorded()
            diff = script.differences(flink, found[-1])
            said = verdict(diff, known.get(script.name))
            counts[said] += 1
            print(said, flush=True)
            if said != "equal":
                diffs += ["", f"{script.name}: {said}", *_shown(diff)]
            if said == "accepted":
                diffs.append(f"  because: {known[script.name].reason}")
    if not quiet:
        print("\n".join(diffs))
    print(f"\n{len(chosen)} scripts: " + ", ".join(f"{count} {said}" for said, count in counts.items() if count))
    return 0 if counts["equal"] + counts["accepted"] == len(chosen) else 1


def _sides(only: str | None, executor: str) -> Iterator[Runner]:
    if only != "ours":
        yield real()
    if only != "real":
        yield ours(executor)


def _outcomes(chosen: list[Script], runners: list[Runner]) -> Iterator[tuple[Script, list[Outcome]]]:
    """Each script with what each runner made of it; says which is running and how long it took."""
    width = max((len(script.name) for script in chosen), default=0)
    for i, script in enumerate(chosen, 1):
        print(f"{i:3}/{len(chosen)} {script.name:{width}} ", end="", flush=True)
        outcomes = []
        for runner in runners:
            begun = time.monotonic()
            outcomes.append(runner.run(script))
            print(f" {time.monotonic() - begun:5.1f} s ", end="", flush=True)
        yield script, outcomes


def _shown(diff: dict[str, list[str]]) -> Iterator[str]:
    for what, lines in diff.items():
        yield f"  {what} (- Flink, + ours)"
        yield from (f"    {line}" for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/parity", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", choices=["real", "ours"])
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--fuzz", type=int, metavar="N")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    return parser
