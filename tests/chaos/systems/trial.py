"""One trial: a job from a system into itself, some kills, and what is there at the end."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.chaos.kinds import JOBS
from tests.chaos.systems.system import System, as_argument, patiently, problems
from tests.chaos.trial import Strike
from tests.chaos.victims import kill
from tests.support.processes import Run, datastream

_LOOK_S = 0.3
_AWAY_S = (0.5, 4.0)
_END_S = 60.0

Tell = Callable[[str], None]


class TrialFailed(Exception):
    """It did not come to its end, or the results are not as they should be."""


def attempt(system: System, folder: Path, count: int, kills: int, seed: int, limit_s: float, tell: Tell) -> str:
    """Run a job while something is killed, as often as was asked; a line about it.

    Raises:
        TrialFailed: See there.
    """
    chance = random.Random(f"{system.name} {seed}")
    victims = [system.victims[i % len(system.victims)] for i in range(kills)]
    chance.shuffle(victims)
    began = time.monotonic()
    where = system.begin(folder, count)
    tell(f"{count:,} records are there after {time.monotonic() - began:.0f} s")
    try:
        starts, struck, took = _keep(system, folder, as_argument(where), count, victims, chance, limit_s, tell)
        wrong = problems(system, count)
        if len(struck) < kills:
            wrong.append(f"the job had ended before kill {len(struck) + 1}")
        if wrong:
            raise TrialFailed("; ".join(wrong))
        results = system.results()
        twice = f", {len(results) - count:,} of them twice" if system.twice else ", each once"
        return f"{count:,} records{twice}; killed {', '.join(struck)}; {starts} starts, {took:.0f} s"
    finally:
        system.stop()


def _keep(
    system: System,
    folder: Path,
    where: str,
    count: int,
    victims: list[str],
    chance: random.Random,
    limit_s: float,
    tell: Tell,
) -> tuple[int, list[str], float]:
    """Start the job until it has ended, and strike it; how often it was started, what was killed, the seconds."""
    began = time.monotonic()
    starts, struck, kills = 0, [], len(victims)
    while True:
        starts += 1
        options = (
            *("--checkpoint-dir", folder / "checkpoint", "--parallelism", 2, "--master", "local[2]"),
            *(
                "-D",
                "spark.driver.memory=768m",
                "-D",
                f"datastream.epoch.max-records={system.epoch_records or count // 25}",
            ),
            *("-D", "datastream.trigger.interval-ms=500"),
            *("-D", "restart-strategy.type=fixed-delay", "-D", "restart-strategy.fixed-delay.attempts=1000"),
            *("-D", "restart-strategy.fixed-delay.delay=500 ms"),
        )
        run = Run(
            datastream("run", *options, str(JOBS / "systems.py"), system.name, where), folder, dict(system.environment)
        )
        try:
            while run.process.poll() is None:
                if time.monotonic() - began > limit_s:
                    raise TrialFailed(f"not at its end after {limit_s:.0f} s\n{run.told()}")
                written = patiently(system.written)
                # The kills are spread over the first three quarters of the records.
                if victims and written >= count * 0.75 * (kills - len(victims)) / kills + count * 0.04:
                    time.sleep(chance.uniform(0, 1))
                    struck += _strike(system, run, victims.pop(), chance, tell)
                if not victims and written >= count and not system.ends:
                    run.process.send_signal(signal.SIGTERM)
                    run.wait(_END_S)
                    return starts, struck, time.monotonic() - began
                time.sleep(_LOOK_S)
            run.assert_gone()
            if run.process.returncode == 0:
                return starts, struck, time.monotonic() - began
            if run.process.returncode > 0:
                raise TrialFailed(f"the job failed\n{run.told()}")
        finally:
            run.end()


def _strike(system: System, run: Run, victim: str, chance: random.Random, tell: Tell) -> list[str]:
    if victim == "server":
        system.kill()
        away_s = chance.uniform(*_AWAY_S)
        time.sleep(away_s)
        system.start()
        tell(f"killed server for {away_s:.1f} s")
        return [victim]
    done = kill(run, Strike(victim, 0, 0.0, chance))  # type: ignore[arg-type]
    if done is None:
        return []
    tell(done)
    return [victim]
