"""What came of a series, as tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from tests.chaos.series import Outcome
from tests.chaos.trial import FAULTS


def table(outcomes: Sequence[Outcome]) -> str:
    """Two tables in Markdown: kinds by faults, and restarts and seconds of each kind.

    A trial with two faults counts for both of them.
    """
    faults = [fault for fault in FAULTS if any(fault in outcome.trial.faults for outcome in outcomes)]
    kinds = list(dict.fromkeys(outcome.trial.kind for outcome in sorted(outcomes, key=lambda o: o.trial.kind)))
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.trial.kind].append(outcome)
    lines = ["Identical outputs of all runs:", "", _row(["job", *faults, "all"]), _row(["---"] * (len(faults) + 2))]
    for kind in kinds:
        some = [[outcome for outcome in by_kind[kind] if fault in outcome.trial.faults] for fault in faults]
        lines.append(_row([kind, *map(_share, some), _share(by_kind[kind])]))
    of_fault = [[outcome for outcome in outcomes if fault in outcome.trial.faults] for fault in faults]
    lines.append(_row(["all", *map(_share, of_fault), _share(outcomes)]))
    titles = ["", "runs", "identical", "restarts", "seconds, median", "seconds, longest"]
    lines += ["", _row(titles), _row(["---"] * len(titles))]
    lines += [_row([name, *_figures(by_kind[name])]) for name in kinds]
    lines += [_row([name, *_figures(some)]) for name, some in zip(faults, of_fault, strict=True)]
    lines.append(_row(["all", *_figures(outcomes)]))
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _share(outcomes: Sequence[Outcome]) -> str:
    if not outcomes:
        return ""
    return f"{sum(outcome.identical for outcome in outcomes)}/{len(outcomes)}"


def _figures(outcomes: Sequence[Outcome]) -> list[str]:
    stories = [outcome.story for outcome in outcomes if outcome.story is not None]
    seconds = [story.seconds for story in stories] or [0.0]
    restarts = sum(story.starts - 1 for story in stories)
    identical = sum(outcome.identical for outcome in outcomes)
    return [str(len(outcomes)), str(identical), str(restarts), f"{median(seconds):.0f}", f"{max(seconds):.0f}"]
