"""Runs the job to its end as an operator of a cluster does: killed or failed, it is started again."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import KafkaException

from tests.chaos.checks import WINDOW_MS, results
from tests.chaos.messages import ended_at
from tests.chaos.telling import Teller
from tests.chaos.trial import Strike, Trial, strikes
from tests.chaos.victims import strike_job
from tests.support.processes import Run, datastream
from tests.support.servers.kafka import OwnBroker

_SCRIPT = Path(__file__).parent / "jobs" / "kafka_to_kafka.py"
_LOOK_S = 0.05

#: Epochs begin at least so far apart: however fast the job, kills find it at work.
_EPOCH_MS = 400

#: An epoch counts as no longer than this.
_LONGEST_S = 3.0

#: A job that fails so often without any progress will not recover.
_HOPELESS = 3


class TrialFailed(Exception):
    """The trial did not come to its end; the message tells why."""


@dataclass
class Story:
    """What happened.

    Attributes:
        struck: The kills, as told.
        failures: How the job failed without being killed, as told.
        starts: How often it was started.
        seconds: From the first start to the end.
        left: Kills that did not fall, because the job had ended.
    """

    struck: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    starts: int = 0
    seconds: float = 0.0
    left: int = 0


class Supervisor:
    """Keeps a job running, and strikes it.

    Args:
        trial: What is tried.
        broker: Holds the topics, and may be killed.
        topics: Input and output.
        folder: The checkpoint goes here.
        tell: Told of all that happens.
    """

    def __init__(self, trial: Trial, broker: OwnBroker, topics: tuple[str, str], folder: Path, tell: Teller) -> None:
        self._trial, self._broker, self._topics, self._tell = trial, broker, topics, tell
        self._folder = folder
        self._strikes = strikes(trial)
        self._story = Story()
        self._deadline = 0.0
        self._committed = 0
        self._killed = False
        self._epoch_s = 1.0
        self._grew_at = 0.0
        self._total = results(trial)
        self._epoch_results = self._total * trial.epoch_records / trial.messages

    def keep(self) -> Story:
        """Run the job to its end.

        Raises:
            TrialFailed: it took too long, failed again and again, or left processes behind.
        """
        began = time.monotonic()
        self._deadline = began + self._trial.limit_s
        hopeless = 0
        while True:
            before = self._committed
            run = self._start()
            try:
                if self._watch(run):
                    break
                hopeless = 0 if self._killed or self._look() > before else hopeless + 1
                if hopeless >= _HOPELESS:
                    raise TrialFailed(f"the job failed {hopeless} times without progress: {self._story.failures[-1]}")
                self._gone(run)
            finally:
                run.end()
        self._story.seconds = time.monotonic() - began
        self._story.left = len(self._strikes)
        return self._story

    def _start(self) -> Run:
        trial, (source, sink) = self._trial, self._topics
        options = (
            *("--log-format", "json", "--checkpoint-dir", self._folder / "checkpoint"),
            *("--parallelism", 2, "--master", "local[2]"),
            *("-D", f"datastream.epoch.max-records={trial.epoch_records}", "-D", "spark.driver.memory=1g"),
            *("-D", f"datastream.trigger.interval-ms={_EPOCH_MS}"),
        )
        args = trial.job, self._broker.bootstrap, source, sink, "--window-ms", WINDOW_MS
        self._story.starts += 1
        self._tell.event("the job starts" if self._story.starts == 1 else "the job starts again")
        return Run(datastream("run", *options, _SCRIPT, *args), self._folder)

    def _watch(self, run: Run) -> bool:
        """Watch one run to its end, and kill what is due; whether the job has finished."""
        self._killed = False
        began = self._look()
        while run.process.poll() is None:
            self._in_time(run)
            now = self._look()
            # Not before this run has written something: it is to be at work.
            if self._strikes and now >= self._strikes[0].share * self._total and now > began:
                self._await_moment(run, self._strikes[0])
                if run.process.poll() is None:
                    self._strike(run, self._strikes.pop(0))
                    began = self._look()
            time.sleep(_LOOK_S)
        if run.process.returncode == 0:
            self._tell.event("the job has finished")
            return True
        if not self._killed:
            self._story.failures.append(_last_words(run))
            self._tell.event(f"the job failed: {self._story.failures[-1]}")
        return False

    def _strike(self, run: Run, strike: Strike) -> None:
        told = (
            f"{strike.victim} killed {'amid a transaction ' if strike.amid else ''}at about {self._committed:,} records"
        )
        try:
            if strike.victim == "broker":
                self._broker.kill()
                self._tell.event(f"{told}; away for {strike.away_s:.1f} s")
                time.sleep(strike.away_s)
                self._broker.start()
                self._tell.event("the broker is back")
            else:
                self._tell.event(told)
                self._killed = True
                strike_job(run, strike.victim)
        except AssertionError as error:
            raise TrialFailed(f"{told}: {error}") from error
        self._story.struck.append(told)

    def _await_moment(self, run: Run, strike: Strike) -> None:
        if not strike.amid:
            # Or when two epochs have gone by: the job may have become faster.
            until, most = time.monotonic() + strike.delay * self._epoch_s, self._committed + 2 * self._epoch_results
            while run.process.poll() is None and time.monotonic() < until and self._look() < most:
                time.sleep(_LOOK_S)
            return
        topic, partitions = self._topics[1], self._trial.partitions
        while run.process.poll() is None:
            self._in_time(run)
            if ended_at(self._broker, topic, partitions) < ended_at(self._broker, topic, partitions, committed=False):
                return

    def _gone(self, run: Run) -> None:
        try:
            run.assert_gone()
        except AssertionError as error:
            raise TrialFailed(f"processes of the job outlived it: {error}") from error

    def _look(self) -> int:
        with suppress(KafkaException):  # the broker is away
            committed = ended_at(self._broker, self._topics[1], self._trial.partitions)
            now = time.monotonic()
            if committed > self._committed:
                # The tasks of an epoch commit one after the other: the longest of late counts.
                self._epoch_s = min(max(now - self._grew_at, 0.7 * self._epoch_s, 0.2), _LONGEST_S)
                self._grew_at = now
            self._committed = committed
        self._tell.progress(self._committed)
        return self._committed

    def _in_time(self, run: Run) -> None:
        if time.monotonic() > self._deadline:
            raise TrialFailed(f"not at its end after {self._trial.limit_s:.0f} s\n{run.told()}")


def _last_words(run: Run) -> str:
    """The job's error, and what its processes said that is not its own log: a crash, say."""
    lines = run.err.splitlines() or ["nothing was said"]
    others = [line for line in lines if not line.startswith("{")]
    try:
        said = json.loads(lines[-1])
        return "\n    ".join([f"{said.get('type', '')} {said.get('error', said)}".strip(), *others[-8:]])
    except ValueError:
        return "\n    ".join(lines[-20:])
