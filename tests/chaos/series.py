"""Many trials, some of them side by side."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.chaos import file_jobs, kafka_jobs
from tests.chaos.kinds import Kind
from tests.chaos.supervisor import Story, Supervisor, TrialFailed
from tests.chaos.trial import Fault, Trial
from tests.support.servers.unavailable import UnavailableError

#: With this chance a second fault follows, in trials that may have one.
_SECOND = 0.3


@dataclass
class Outcome:
    """What came of a trial.

    Attributes:
        trial: What was tried.
        story: What happened; None: the trial has failed.
        wrong: What is wrong with the output, or how the trial failed; nothing: it is identical.
        events: All that happened, with the time in s.
    """

    trial: Trial
    story: Story | None = None
    wrong: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @property
    def identical(self) -> bool:
        """Whether the output is that of the undisturbed job, and all faults fell."""
        return not self.wrong

    def __str__(self) -> str:
        if self.story is None or self.wrong:
            lines = [*self.wrong, *self.events, f"repeat it: {self.trial.command}"]
            return f"WRONG      {self.trial.name}" + "".join(f"\n    {line}" for line in lines)
        story = self.story
        return f"identical  {self.trial.name}: {story.starts} starts, {story.seconds:.0f} s; {'; '.join(story.struck)}"


class World:
    """What all trials of a series share: input, results of undisturbed jobs, Kafka's broker."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="datastream-chaos-"))
        self._broker = kafka_jobs.SharedBroker()
        kinds: list[Kind] = [file_jobs.FileJob(name, self.folder) for name in file_jobs.NAMES]
        kinds += [file_jobs.ManyKeys(self.folder), file_jobs.SqlJoin(self.folder)]
        kinds += [kafka_jobs.KafkaJob(job, self._broker) for job in kafka_jobs.NAMES]
        kinds.append(kafka_jobs.SqlJob(self._broker))
        self.kinds = {kind.name: kind for kind in kinds}

    def attempt(self, trial: Trial, tell: Callable[[str], None] = lambda text: None) -> Outcome:
        """Run a trial, and compare its output."""
        outcome = Outcome(trial)
        began = time.monotonic()

        def told(text: str) -> None:
            outcome.events.append(f"{time.monotonic() - began:6.1f} s  {text}")
            tell(outcome.events[-1])

        kind = self.kinds[trial.kind]
        folder = Path(tempfile.mkdtemp(prefix=f"{trial.kind}-", dir=self.folder))
        try:
            outcome.story = Supervisor(trial, kind, folder, told, self._broker.strike).keep()
            outcome.wrong = kind.differences(folder)
            if outcome.story.left:
                outcome.wrong.append(f"{outcome.story.left} faults did not fall before the job's end")
        except TrialFailed as error:
            outcome.wrong.append(str(error))
        except UnavailableError:
            raise
        except Exception:  # the others are to run all the same
            outcome.wrong.append(traceback.format_exc())
        if not outcome.wrong:
            shutil.rmtree(folder)
        return outcome

    def close(self, keep: bool = False) -> None:
        """End the broker, and remove all folders unless some are to be kept."""
        self._broker.stop()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def draw(
    kinds: Sequence[Kind], faults: Sequence[tuple[Fault, ...]], runs: int, seed: int, can: Collection[Fault]
) -> list[Trial]:
    """The trials of a series: each kind with each of the faults, as often as the others.

    Args:
        kinds: Which kinds.
        faults: Which faults, one or more a trial; none given: each of a kind's alone, sometimes with a second one.
        runs: How many trials; their seeds are `seed`, `seed` + 1 ...
        seed: Of the first.
        can: Faults that are possible here.
    """
    chance = random.Random(seed)
    pairs = [
        (kind, some)
        for kind in kinds
        for some in (faults or [(fault,) for fault in kind.faults])
        if set(some) <= set(kind.faults) & set(can)
    ]
    trials: list[Trial] = []
    while pairs and len(trials) < runs:
        for kind, some in chance.sample(pairs, len(pairs)):
            second = chance.choice([fault for fault in kind.faults if fault in can])
            more = (second,) if not faults and chance.random() < _SECOND else ()
            trials.append(Trial(kind.name, (*some, *more), seed + len(trials)))
    return trials[:runs]


def attempt_all(
    world: World, trials: Sequence[Trial], jobs: int, pause_s: float, tell: Callable[[str], None] = lambda text: None
) -> Iterator[Outcome]:
    """Run trials, so many side by side; the outcomes as they come."""
    waiting = [replace(trial, pause_s=pause_s) for trial in trials]
    running: dict[Future[Outcome], str | None] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            for trial in list(waiting):
                alone = world.kinds[trial.kind].alone
                if len(running) < jobs and (alone is None or alone not in running.values()):
                    waiting.remove(trial)
                    running[pool.submit(world.attempt, trial, tell)] = alone
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                del running[future]
                yield future.result()
