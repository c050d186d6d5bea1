"""One seed: a job, its records, what goes wrong; and the smallest trial that still fails."""

from __future__ import annotations

import gc
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from random import Random

import pyarrow as pa

from datastream import StreamExecutionEnvironment
from datastream.api.environment import graph_of
from datastream.graph import JobGraph
from tests.simulation import ends, faults
from tests.simulation.cluster import Cluster, Move
from tests.simulation.ends import Record, World
from tests.simulation.faults import FAULTS, Fault, Faults
from tests.simulation.kinds import FOLDER, KINDS, LATE_MS, Inputs

_KEYS = "abcdef"


@dataclass(frozen=True)
class Trial:
    """A run of a job, as plain data.

    Attributes:
        seed: Of what is not said here: how epochs are cut, what runs where and when.
        kind: One of `KINDS`.
        parallelism: The job's.
        lasting: Whether its checkpoint directory counts as one that outlives it.
        inputs: Input's name -> lanes -> records.
        faults: What goes wrong.
        moves: How the job is moved, by savepoints.
    """

    seed: int
    kind: str
    parallelism: int
    lasting: bool
    inputs: Inputs
    faults: tuple[Fault, ...]
    moves: tuple[Move, ...] = ()

    @property
    def records(self) -> int:
        """How many records it reads."""
        return sum(len(lane) for lanes in self.inputs.values() for lane in lanes)


@dataclass(frozen=True)
class Outcome:
    """How a trial ended.

    Attributes:
        wrong: What is wrong; None: nothing.
        fell: The faults that fell: (point, its name, kind).
        points: How many points it has passed.
        lives: How often a job was started.
        jobs: How many jobs there were, one after the other.
        damaged: What was done to which files.
    """

    wrong: str | None
    fell: tuple[tuple[int, str, str], ...]
    points: int
    lives: int
    jobs: int
    damaged: tuple[str, ...] = field(default=(), compare=False)  # some names are random


def draw(seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Trial:
    """The trial of a seed."""
    random = Random(seed)
    kind = random.choice(kinds)
    count = random.randint(1, 40)
    return Trial(
        seed,
        kind,
        random.randint(1, 3),
        random.random() < 0.5,
        {name: _lanes(random, count) for name in KINDS[kind].inputs},
        tuple(
            Fault(random.choice((*FAULTS, "damage")), int(random.lognormvariate(3.5, 1.5)) + 1)
            for _ in range(random.choice((0, 1, 1, 2, 3, 5, 8)))
        ),
        tuple(
            Move(
                random.choice((0, 1, 2, 4)), random.randint(1, 3), random.choice((None, None, 5)), random.random() < 0.2
            )
            for _ in range(random.choice((0, 0, 0, 0, 1, 1, 2)))
        ),
    )


def _lanes(random: Random, count: int) -> list[list[Record]]:
    """Lanes whose time goes on, with records that come as late as they may."""
    lanes: list[list[Record]] = [[] for _ in range(random.choice((1, 1, 2, 3)))]
    keys = _KEYS[: random.choice((1, 2, 6))]
    latest = [0] * len(lanes)
    for _ in range(count):
        key = random.choice(keys)
        lane = _KEYS.index(key) % len(lanes)
        latest[lane] += random.choice((0, 0, 1, 2, 9, 10))
        late = random.choice((0, 0, 1, LATE_MS))
        lanes[lane].append(Record(key, max(0, latest[lane] - late), random.randint(1, 5)))
    return lanes


@cache
def _freeze() -> None:
    """What this process has so far stays: to collect what a trial leaves behind is quick then."""
    pa.array([b""])  # what it imports when it is first used stays, too
    gc.collect()
    gc.freeze()


@cache
def graph(kind: str, parallelism: int, max_parallelism: int | None) -> JobGraph:
    """A job; it reads whatever the world in hand holds."""
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)
    if max_parallelism is not None:
        env.set_max_parallelism(max_parallelism)
    KINDS[kind].build(env)
    return graph_of(env, kind)


def run(trial: Trial) -> Outcome:
    """Carry a trial out."""
    _freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # a lost process closes nothing
        outcome = _run(trial)
        if outcome.fell:
            gc.collect()
    return outcome


def _run(trial: Trial) -> Outcome:
    kind = KINDS[trial.kind]
    lanes = [(name, record) for name, lane in trial.inputs.items() for records in lane for record in records]
    queue = {f"{name}-{number}": record for number, (name, record) in enumerate(lanes)} if kind.queued else None
    ends.enter(World(trial.inputs, trial.seed, queue=queue))
    what = Faults(list(trial.faults))
    faults.begin(what)
    os.makedirs(FOLDER)
    cluster = Cluster(
        partial(graph, trial.kind), trial.parallelism, trial.moves, what, trial.seed, FOLDER, trial.lasting
    )
    wrong = None
    try:
        cluster.run()
        found, wanted = (kind.told(records) for records in (kind.found(), kind.expect(trial.inputs)))
        if found != wanted:
            wrong = f"expected {wanted}, got {found}"
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(FOLDER)
    return Outcome(wrong, tuple(what.fell), what.points, cluster.lives, cluster.jobs, cluster.damaged)


def shrink(trial: Trial, fails: Callable[[Trial], bool] = lambda trial: run(trial).wrong is not None) -> Trial:
    """The smallest trial that still fails: fewer faults, fewer records, earlier faults."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(trial):
            if fails(candidate):
                trial, smaller = candidate, True
                break
    return trial


def _smaller(trial: Trial) -> Iterator[Trial]:
    for i in range(len(trial.faults)):
        yield replace(trial, faults=trial.faults[:i] + trial.faults[i + 1 :])
    for i in range(len(trial.moves)):
        yield replace(trial, moves=trial.moves[:i] + trial.moves[i + 1 :])
    yield from _with_fewer_records(trial)
    if trial.parallelism > 1:
        yield replace(trial, parallelism=trial.parallelism - 1)
    for i, fault in enumerate(trial.faults):
        for after in {1, fault.after // 2, fault.after - 1}:
            if 0 < after < fault.after:
                yield replace(trial, faults=(*trial.faults[:i], fault._replace(after=after), *trial.faults[i + 1 :]))
    for fewer in _with_fewer_records(trial):  # there are fewer points then, so what a fault met comes earlier
        for i, fault in enumerate(trial.faults):
            for tenths in range(9, 3, -1):
                earlier = fault._replace(after=max(1, fault.after * tenths // 10))
                yield replace(fewer, faults=(*trial.faults[:i], earlier, *trial.faults[i + 1 :]))


def _with_fewer_records(trial: Trial) -> Iterator[Trial]:
    for name, lanes in trial.inputs.items():
        for number, lane in enumerate(lanes):
            size = len(lane)
            while size:
                for start in range(0, len(lane), size):
                    rest = lane[:start] + lane[start + size :]
                    yield replace(trial, inputs={**trial.inputs, name: [*lanes[:number], rest, *lanes[number + 1 :]]})
                size //= 2
