"""``scripts/chaos simulated``: whole jobs with faults where seeds say, thousands in minutes."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.simulation.kinds import KINDS
from tests.simulation.trial import Trial, draw, run, shrink

_TOLD_S = 10.0


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0 if all seeds went well."""
    parser = argparse.ArgumentParser(prog="scripts/chaos simulated", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000, metavar="N", help="so many seeds (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="begin with this one (default: 0)")
    parser.add_argument("--kinds", nargs="+", choices=sorted(KINDS), metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--no-shrink", action="store_true", help="show a trial that failed as it was drawn")
    chosen = parser.parse_args(arguments)
    kinds = tuple(chosen.kinds or KINDS)
    began = told = time.monotonic()
    fell, tried, failed, moved = Counter[str](), Counter[str](), 0, 0
    for number in range(chosen.seeds):
        trial = draw(chosen.seed + number, kinds)
        outcome = run(trial)
        tried[trial.kind] += 1
        moved += outcome.jobs - 1
        fell.update(kind for _, _, kind in outcome.fell)
        if outcome.wrong is not None:
            failed += 1
            print(f"seed {trial.seed} failed: scripts/chaos simulated --seeds 1 --seed {trial.seed}", end="")
            print(f" --kinds {' '.join(kinds)}" if chosen.kinds else "")
            print(report(trial if chosen.no_shrink else shrink(trial)), flush=True)
        if time.monotonic() - told > _TOLD_S:
            told = time.monotonic()
            left = (told - began) / (number + 1) * (chosen.seeds - number - 1)
            print(f"{number + 1} of {chosen.seeds} seeds, {failed} failed; about {left:.0f} s are left", flush=True)
    seconds = time.monotonic() - began
    print(f"{chosen.seeds} seeds in {seconds:.0f} s ({chosen.seeds / seconds * 60:.0f} a minute), {failed} failed")
    print("jobs: " + ", ".join(f"{kind} {count}" for kind, count in sorted(tried.items())))
    print(f"savepoints that another job went on from: {moved}")
    print("faults that fell: " + (", ".join(f"{kind} {count}" for kind, count in sorted(fell.items())) or "none"))
    return 1 if failed else 0


def report(trial: Trial) -> str:
    """A trial, for people: its job and records, the faults that fell, and what is wrong."""
    outcome = run(trial)
    lines = [f"  job: {trial.kind}, parallelism {trial.parallelism}{', lasting' if trial.lasting else ''}"]
    for name, lanes in trial.inputs.items():
        lines += [f"  {name}, lane {number}: {[tuple(r) for r in lane]}" for number, lane in enumerate(lanes) if lane]
    lines += [
        f"  moved behind {move.after} epochs: parallelism {move.parallelism} of {move.max_parallelism or 'the default'}"
        + (", and its savepoint is damaged" if move.damaged else "")
        for move in trial.moves
    ]
    lines += [f"  fault: {kind} at point {point}, {name}" for point, name, kind in outcome.fell]
    lines += [f"  damaged: {what}" for what in outcome.damaged]
    return "\n".join([*lines, f"  {outcome.wrong}"])


if __name__ == "__main__":
    logging.disable()  # the engine's, which has its reasons all the time
    sys.exit(main(sys.argv[1:]))
