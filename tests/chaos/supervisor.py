"""Runs a job to its end as an operator of a cluster does: killed or failed, it is started again."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from datastream import errors
from tests.chaos.damage import Damage, damage_newest
from tests.chaos.disk import Disk
from tests.chaos.kinds import Kind
from tests.chaos.trial import Strike, Trial, strikes
from tests.chaos.victims import kill, pause
from tests.support.processes import Run, datastream

_LOOK_S = 0.05

#: Epochs begin at least so far apart: however fast the job, faults find it at work.
_EPOCH_MS = 200

#: Once all faults have fallen the job may run as fast as it can.
_LARGE_EPOCH = 10_000_000

#: A job neither ends nor commits anything for so long: it hangs.
_STALLED_S = 60.0

#: A disk stays full until the job has ended, at most so long.
_FULL_S = 8.0

#: A job that fails so often without any progress will not recover.
_HOPELESS = 3

#: Part of the trials whose jobs restart in their process.
_INSIDE = 0.5

_SINK_FAILS_EVERY = 12, 60


class TrialFailed(Exception):
    """The trial did not come to its end; the message tells why."""


@dataclass
class Story:
    """What happened.

    Attributes:
        struck: The faults, as told.
        failures: What the job said when it failed.
        starts: How often it was started.
        seconds: From the first start to the end.
        left: Faults that did not fall, because the job had ended.
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
        kind: Its kind of job.
        folder: Checkpoint and output go here; there is nothing in it.
        tell: Told of all that happens.
        broker: Kills Kafka's broker for a time in s.
    """

    def __init__(
        self,
        trial: Trial,
        kind: Kind,
        folder: Path,
        tell: Callable[[str], None] = lambda text: None,
        broker: Callable[[float], None] | None = None,
    ) -> None:
        self._trial, self._kind, self._folder, self._broker = trial, kind, folder, broker
        self._script = kind.script(folder)
        self._strikes = strikes(trial)
        self._disk: Disk | None = None
        self._damages: list[Damage] = []
        self._checkpoint = folder / "checkpoint"
        self._sink_calls = folder / "sink-calls"
        self._sink_times = 0
        self._deadline = 0.0
        self._story = Story()
        self._tell = tell

    def keep(self) -> Story:
        """Run the job to its end.

        Raises:
            TrialFailed: it took too long, failed again and again, failed without saying why, or left processes behind.
        """
        began = time.monotonic()
        self._deadline = began + self._trial.limit_s
        self._prepare()
        hopeless = 0
        try:
            while True:
                before = self._committed()
                run = self._start()
                try:
                    struck = self._watch(run)
                    finished = run.process.returncode == 0
                    self._gone(run)
                    if finished:
                        break
                    # A disk that is full, and a sink, fail often: these are struck by what is there still.
                    hopeless = 0 if struck or self._committed() > before else hopeless + 1
                    if hopeless >= _HOPELESS:
                        raise TrialFailed(f"the job failed {hopeless} times without progress: {self._last_failure()}")
                finally:
                    run.end()
        except AssertionError as error:
            raise TrialFailed(str(error)) from error
        finally:
            if self._disk is not None:
                self._disk.remove()
        self._story.seconds = time.monotonic() - began
        self._story.left = len(self._strikes) + (self._sink_times > 0 and not self._sink_failed(1))
        return self._story

    def _prepare(self) -> None:
        """What must be there before the job starts."""
        if "disk" in self._trial.faults:
            self._disk = Disk(self._folder / "disk")
            self._checkpoint = self._folder / "disk" / "checkpoint"
        for strike in [strike for strike in self._strikes if strike.fault == "sink"]:
            self._strikes.remove(strike)
            every, self._sink_times = strike.chance.randint(*_SINK_FAILS_EVERY), strike.chance.randint(1, 2)
            self._sink_every = every
            self._script += ["--failures", f"{self._sink_calls},{every},{self._sink_times}"]
            self._story.struck.append(f"call {every} of the sinks fails, {self._sink_times} times")

    def _sink_failed(self, times: int) -> bool:
        """Whether sinks have failed so often."""
        calls = self._sink_calls.stat().st_size if self._sink_calls.exists() else 0
        return not self._sink_times or calls >= self._sink_every * times

    def _start(self) -> Run:
        more_to_come = self._strikes or not self._sink_failed(self._sink_times)
        records = self._kind.epoch_records if more_to_come else _LARGE_EPOCH
        options = (
            *("--log-format", "json", "--checkpoint-dir", self._checkpoint),
            *("--parallelism", 2, "--master", "local[2]", "-D", "spark.driver.memory=768m"),
            *("-D", f"datastream.epoch.max-records={records}"),
            *("-D", f"datastream.trigger.interval-ms={_EPOCH_MS if more_to_come else 0}"),
            *(part for key, value in self._kind.settings.items() for part in ("-D", f"{key}={value}")),
            *restarts(self._trial),
        )
        self._story.starts += 1
        self._tell("the job starts" if self._story.starts == 1 else "the job starts again")
        return Run(datastream("run", *options, *self._script), self._folder)

    def _watch(self, run: Run) -> bool:
        """Watch one run to its end, and strike when it is time; whether it was struck."""
        struck = False
        first = latest = self._committed()
        moved = began = due = time.monotonic()
        while run.process.poll() is None:
            now = time.monotonic()
            if now > self._deadline:
                raise TrialFailed(f"not at its end after {self._trial.limit_s:.0f} s\n{run.told()}")
            if now - moved > _STALLED_S:
                raise TrialFailed(f"it neither ended nor committed an epoch for {_STALLED_S:.0f} s\n{run.told()}")
            committed = self._committed()
            if committed > latest:
                latest, moved = committed, now
            if self._strikes:
                strike = self._strikes[0]
                if committed - first < strike.epochs or not strike.epochs:
                    due = (now if strike.epochs else began) + strike.delay_s
                if now >= due and self._is_possible(strike):
                    struck = self._strike(run, self._strikes.pop(0)) or struck
                    first, moved = self._committed(), time.monotonic()
            time.sleep(_LOOK_S)
        if run.process.returncode == 0:
            self._tell("the job has finished")
        elif run.process.returncode > 0:
            self._take_failure(run)
        return struck

    def _is_possible(self, strike: Strike) -> bool:
        """Whether there is something to strike: a job that has just been started has no files yet."""
        return strike.fault not in ("truncate", "flip") or (self._checkpoint / "offsets").exists()

    def _strike(self, run: Run, strike: Strike) -> bool:
        """Let a fault fall; whether it did. If not, it falls on the next run."""
        where = f"behind epoch {self._committed()}"
        self._tell(f"{strike.fault} {where}")
        done: str | None
        match strike.fault:
            case "pause":
                done = pause(run, strike, self._trial.pause_s)
            case "disk":
                done = self._fill_disk(run)
            case "truncate" | "flip":
                done = self._spoil(run, strike)
            case "broker":
                assert self._broker is not None
                away_s = strike.chance.uniform(1, 5)
                self._broker(away_s)
                done = f"killed the broker for {away_s:.1f} s"
            case _:
                done = kill(run, strike)
        if done is None:
            self._strikes.insert(0, strike)
        else:
            self._tell(done)
            self._story.struck.append(f"{done}, {where}")
        return done is not None

    def _fill_disk(self, run: Run) -> str:
        assert self._disk is not None
        self._disk.fill()
        try:
            with suppress(AssertionError):
                run.wait(_FULL_S)
        finally:
            self._disk.free()
        return "filled the disk"

    def _spoil(self, run: Run, strike: Strike) -> str | None:
        run.process.kill()
        run.wait()
        self._gone(run)
        aside, output = self._folder / f"aside-{len(self._story.struck)}", self._folder / "out"
        damage = damage_newest(self._checkpoint, output, strike.fault, strike.chance, aside)
        if damage is None:
            return None
        self._damages.append(damage)
        return f"killed the driver; {damage.done}"

    def _take_failure(self, run: Run) -> None:
        kind, error = _last_words(run)
        self._story.failures.append(f"{kind}: {error}")
        self._tell(f"the job failed: {kind}: {error}")
        if not _is_clear(kind, error):
            raise TrialFailed(f"the job failed without a clear error\n{run.told()}")
        if self._damages:
            self._take_refusal(kind, error)

    def _take_refusal(self, kind: str, error: str) -> None:
        """A job has failed whose checkpoint is damaged: where it says so, what is damaged is put back."""
        refused = kind in ("CheckpointError", "CheckpointDamaged", "CheckpointMismatch")
        if not refused and set(self._trial.faults) - {"truncate", "flip"}:
            return  # of another fault
        if not refused or not any(damage.is_named(error) for damage in self._damages):
            done = " and ".join(damage.done for damage in self._damages)
            raise TrialFailed(f"{done}, but the error does not say so: {kind}: {error}")
        for damage in reversed(self._damages):
            damage.repair()
        self._damages.clear()
        self._story.struck.append("which was refused, and repaired")
        self._tell("the file is repaired")

    def _last_failure(self) -> str:
        return self._story.failures[-1] if self._story.failures else "it said nothing"

    def _gone(self, run: Run) -> None:
        try:
            run.assert_gone()
        except AssertionError as error:
            raise TrialFailed(f"processes of the job outlived it: {error}") from error

    def _committed(self) -> int:
        """The last epoch that Spark has logged as committed, from 1."""
        with suppress(FileNotFoundError):
            numbers = [int(path.name) for path in (self._checkpoint / "commits").iterdir() if path.name.isdecimal()]
            return max(numbers, default=-1) + 1
        return 0


def restarts(trial: Trial) -> tuple[str, ...]:
    """Some jobs restart in their process; others end at each failure, and the supervisor starts the next process."""
    if random.Random(f"restarts of {trial.name}").random() < _INSIDE:
        strategy = "restart-strategy.type=exponential-delay"
        return "-D", strategy, "-D", "restart-strategy.exponential-delay.initial-backoff=200 ms"
    return "-D", "restart-strategy.type=none"


def _last_words(run: Run) -> tuple[str, str]:
    """Type and message of the job's error."""
    lines = run.err.splitlines()
    try:
        said = json.loads(lines[-1])
        return str(said["type"]), str(said["error"])
    except (ValueError, KeyError, IndexError):
        return "", "\n".join(lines[-20:])


def _is_clear(kind: str, error: str) -> bool:
    """Whether an error is one of ours, and no stack."""
    known = isinstance(getattr(errors, kind, None), type)
    return known and "Traceback" not in error and "\tat " not in error
