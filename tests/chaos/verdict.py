"""What came of a trial, for people."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.checks import Faults, check, results
from tests.chaos.messages import values, write_input
from tests.chaos.supervisor import Story, Supervisor
from tests.chaos.telling import Teller
from tests.chaos.trial import Trial
from tests.support.servers.kafka import OwnBroker


@dataclass(frozen=True)
class Verdict:
    """What came of a trial.

    Attributes:
        trial: What was tried.
        story: What happened.
        faults: What is wrong with the output.
        aborted: Records of transactions that were not committed: seen by those only who do not heed transactions.
    """

    trial: Trial
    story: Story
    faults: Faults
    aborted: int

    @property
    def exact(self) -> bool:
        """Whether the output is exact."""
        return not self.faults.counts and self.faults.records == results(self.trial)

    @property
    def right(self) -> bool:
        """Whether the output is exact, and all kills fell."""
        return self.exact and not self.story.left

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        if not self.exact:
            return "WRONG"
        return "EXACT, but over too soon" if self.story.left else "EXACT"

    def __str__(self) -> str:
        trial, story, faults = self.trial, self.story, self.faults
        lines = [
            f"{self.word}: job {trial.job}, seed {trial.seed}",
            f"  {trial.messages:,} messages in {trial.partitions} partitions, {trial.keys:,} keys",
            f"  {faults.records:,} records committed, {results(trial):,} expected; "
            f"{self.aborted:,} more belong to transactions that were aborted",
            f"  {len(story.struck)} kills, the job started {story.starts} times, {story.seconds:.0f} s",
            *(f"    {struck}" for struck in story.struck),
            *(f"  failed without being killed: {failure}" for failure in story.failures),
        ]
        if story.left:
            lines.append(f"  {story.left} kills did not fall before the end: take more messages or smaller epochs")
        for kind, count in faults.counts.items():
            lines.append(f"  {kind}: {count:,}, such as {'; '.join(faults.examples[kind])}")
        return "\n".join(lines)


def judge(trial: Trial, broker: OwnBroker, tell: Teller) -> Verdict:
    """Make the input, run the job while things are killed, and read the output.

    Raises:
        TrialFailed: it did not come to an end.
    """
    # The messages' time is long ago: by default a broker would delete them.
    kept = {"retention_ms": -1}
    source, sink = (broker.topic(trial.partitions, prefix, **kept) for prefix in ("chaos-in", "chaos-out"))
    tell.event(f"seed {trial.seed}; writing {trial.messages:,} messages")
    write_input(trial, broker, source)
    folder = Path(tempfile.mkdtemp(prefix="datastream-chaos-"))
    try:
        story = Supervisor(trial, broker, (source, sink), folder, tell).keep()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tell.event("reading the output")
    faults = check(trial, values(broker, sink, trial.partitions))
    every = sum(1 for _ in values(broker, sink, trial.partitions, committed=False))
    return Verdict(trial, story, faults, every - faults.records)
