"""Suites of tests that a connector has to pass, for pytest: subclass one, give it what it asks for, and run it.

class TestTableSink(SinkConformance):
    def create(self, folder):
        return TableSink(new_table(folder))

    def written(self, folder):
        return rows(folder)
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

import pytest

from datastream.api.environment import StreamExecutionEnvironment
from datastream.config.configuration import Configuration
from datastream.config.settings import settings as process_settings
from datastream.errors import DataStreamError, is_transient
from datastream.io import Batch, Sink, Source
from datastream.time import WatermarkStrategy
from datastream.types import Row, pickles

from .connectors import check_sink, check_source
from .crashes import Calls, compare, pickled_settings
from .sink_trial import SinkTrial
from .source_trial import SourceTrial

#: How long a connector may take to find that its system is away.
_AWAY_S = 60.0


class Conformance:
    """What both suites ask of a connector.

    Attributes:
        secrets: Texts, such as passwords of the settings, that may show up in no repr and no error.
    """

    secrets: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__ != __name__:
            for name, applies in cls._conditions():
                test = next(vars(base)[name] for base in cls.__mro__ if vars(base).get(name) is not None)
                setattr(cls, name, test if applies else None)  # pytest does not collect None

    @classmethod
    def _conditions(cls) -> list[tuple[str, bool]]:
        """Tests that make sense for some connectors only, and whether they do for this one."""
        return [
            ("test_it_shows_no_secret", bool(cls.secrets)),
            ("test_it_says_that_its_system_is_away", cls.unreachable is not Conformance.unreachable),
        ]

    @pytest.fixture(autouse=True)
    def _jobs_run_in_this_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process_settings(), "executor", "local")

    def create(self, folder: Path) -> Any:
        """Prepare an empty folder, or a new table, queue or topic; and return the connector's settings for it.

        Called for each trial, some hundred times.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method create(self, folder)")

    def unreachable(self) -> Any:
        """The connector's settings for a system that does not answer. Left out where there is no such case."""
        raise NotImplementedError

    def test_its_settings_travel_and_stay_as_they_are(self, tmp_path: Path) -> None:
        settings = self.create(_new(tmp_path, "world"))
        before = pickled_settings(settings)
        again = pickles.loads(before)
        assert type(again).__qualname__ == type(settings).__qualname__
        settings.validate()
        assert pickled_settings(settings) == before, "validate() has changed the settings"

    def test_it_shows_no_secret(self, tmp_path: Path) -> None:
        self._shows_none(repr(self.create(_new(tmp_path, "world"))))

    def test_it_says_that_its_system_is_away(self) -> None:
        settings = self.unreachable()
        began = time.monotonic()
        try:
            self._use(settings)
        except Exception as error:
            took = time.monotonic() - began
            assert took < _AWAY_S, f"it took {took:.0f} s to say that its system is away"
            assert is_transient(error) or isinstance(error, DataStreamError), (
                f"{type(error).__name__}: {error}\nraise a ConnectionError, or another exception from one, so that "
                "the job is restarted; or a ValidationError in validate()"
            )
            self._shows_none(_texts(error))
        else:
            raise AssertionError(f"{type(settings).__name__} works, though its system is away")

    def _use(self, settings: Any) -> None:
        raise NotImplementedError

    def _shows_none(self, text: str) -> None:
        for secret in self.secrets:
            assert secret not in text, f"a secret is shown: {text.replace(secret, '<secret>')}"


class SourceConformance(Conformance):
    """What a source has to pass.

    Attributes:
        expected: All records, in any order.
        budget: Records an epoch should hold in the trials.
        parallelism: Tasks of an epoch in the trials.
        most: Records an epoch of `budget` may hold at most; None: it cannot be limited by records, as with files.
        ordered: With one task the records come in one order, however they are cut into epochs.
        at_once: How many trials run at once, in threads, at most six: several, if the system makes a reader wait.
    """

    expected: Iterable[Any] = ()
    budget: ClassVar[int] = 3
    parallelism: ClassVar[int] = 2
    most: ClassVar[int | None] = 3
    ordered: ClassVar[bool] = True
    at_once: ClassVar[int] = 1

    @classmethod
    def _conditions(cls) -> list[tuple[str, bool]]:
        return [
            *super()._conditions(),
            ("test_its_epochs_are_as_large_as_they_may_be", cls.most is not None),
            ("test_its_records_stay_in_order", cls.ordered),
        ]

    def create(self, folder: Path) -> Source:
        raise NotImplementedError(f"{type(self).__name__} needs a method create(self, folder) that returns the source")

    def twice(self, record: Any) -> bool:
        """Whether a record may come more than once after a crash: at least once, not exactly once."""
        return False

    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        check_source(
            self.create,
            tmp_path,
            self.expected,
            budget=self.budget,
            parallelism=self.parallelism,
            twice=self.twice,
            at_once=self.at_once,
        )

    def test_its_epochs_are_as_large_as_they_may_be(self, tmp_path: Path) -> None:
        trial, _ = self._read(tmp_path, "limited", self.budget)
        largest = max(trial.sizes, default=0)
        assert self.most is None or largest <= self.most, (
            f"latest_offset was asked for {self.budget} records at most, and an epoch held {largest}: a job that is "
            "slower than its source would run out of memory. Of a QueueSource: `pull` gave more than `most`"
        )

    def test_its_records_stay_in_order(self, tmp_path: Path) -> None:
        _, small = self._read(tmp_path, "small", 1)
        _, large = self._read(tmp_path, "large", 1000)
        assert list(map(repr, small)) == list(map(repr, large)), (
            "the records come in another order when epochs are larger"
        )

    def test_a_job_reads_it(self, tmp_path: Path) -> None:
        source = self.create(_new(tmp_path, "world"))
        env = StreamExecutionEnvironment.get_execution_environment(_local())
        results = env.from_source(source, WatermarkStrategy.no_watermarks(), "source").execute_and_collect()
        wanted = list(self.expected)
        with closing(results):  # type: ignore[type-var]  # without a limit it is an iterator
            found = list(results if source.bounded else islice(results, len(wanted)))
        compare(found, Counter(map(repr, wanted)), lambda text: False)

    def _read(self, folder: Path, name: str, budget: int) -> tuple[SourceTrial, list[Any]]:
        """A trial without a crash, by one task, and what it read."""
        world = _new(folder, name)
        wanted = Counter(map(repr, self.expected))
        trial = SourceTrial(self.create(world), world, Calls(), budget, 1, wanted)
        return trial, trial.records()

    def _use(self, settings: Source) -> None:
        settings.validate()
        env = StreamExecutionEnvironment.get_execution_environment(_local())
        stream = env.from_source(settings, WatermarkStrategy.no_watermarks(), "source")
        stream.execute_and_collect(limit=1)


class SinkConformance(Conformance):
    """What a sink has to pass.

    Attributes:
        exactly_once: Whether no record may be there twice after a crash.
        ordered: Whether `written` returns the records of a subtask in the order in which they were written.
    """

    exactly_once: ClassVar[bool] = True
    ordered: ClassVar[bool] = False

    def create(self, folder: Path) -> Sink:
        raise NotImplementedError(f"{type(self).__name__} needs a method create(self, folder) that returns the sink")

    def record(self, number: int) -> Any:
        """A record for the sink, another one for each number. Default: the number."""
        return number

    def written(self, folder: Path) -> Iterable[Any]:
        """The records that readers find at the end, in any order."""
        raise NotImplementedError(f"{type(self).__name__} needs a method written(self, folder)")

    def test_it_loses_and_doubles_nothing_in_crashes(self, tmp_path: Path) -> None:
        epochs = self._epochs([[2, 1], [0, 1], [1, 2]])
        check_sink(self.create, tmp_path, self.written, epochs, exactly_once=self.exactly_once)

    def test_a_commit_may_be_repeated_and_a_batch_changed(self, tmp_path: Path) -> None:
        """The job may reuse a batch once it is written; an epoch is committed again after a failure."""
        self._write(_new(tmp_path, "world"), [[3, 3], [3, 0], [2, 2]], _Careless())

    def test_it_takes_a_large_batch(self, tmp_path: Path) -> None:
        self._write(_new(tmp_path, "world"), [[1], [1]], _InLargeBatches(self, 5_000))

    def test_a_job_writes_it(self, tmp_path: Path) -> None:
        folder = _new(tmp_path, "world")
        records = [self.record(number) for number in range(20)]
        env = StreamExecutionEnvironment.get_execution_environment(_local())
        env.set_parallelism(2)
        env.from_collection(records).sink_to(self.create(folder))
        env.execute("sink")
        compare(list(self.written(folder)), Counter(map(repr, records)), lambda text: False)

    def _write(self, folder: Path, sizes: Sequence[Sequence[int]], calls: Calls) -> None:
        epochs = self._epochs(sizes)
        # Before they are changed.
        order = [[repr(r) for epoch in epochs for r in epoch[subtask]] for subtask in range(len(epochs[0]))]
        SinkTrial(self.create(folder), folder, calls).write(epochs)
        wanted = map(repr, calls.written) if isinstance(calls, _InLargeBatches) else chain.from_iterable(order)
        found = list(self.written(folder))
        compare(found, Counter(wanted), lambda text: not self.exactly_once)
        if self.ordered and not isinstance(calls, _InLargeBatches):
            places = {repr(record): i for i, record in enumerate(found)}
            for subtask, texts in enumerate(order):
                at = [places[text] for text in texts]
                assert at == sorted(at), f"the records of subtask {subtask} are written in another order"

    def _epochs(self, sizes: Sequence[Sequence[int]]) -> list[list[list[Any]]]:
        """This number of records for each epoch and subtask."""
        numbers = iter(range(1_000_000))
        return [[[self.record(next(numbers)) for _ in range(size)] for size in epoch] for epoch in sizes]

    def _use(self, settings: Sink) -> None:
        settings.validate()
        env = StreamExecutionEnvironment.get_execution_environment(_local())
        env.from_collection([self.record(0)]).sink_to(settings)
        env.execute("sink")


class _Careless(Calls):
    """Commits each epoch three times, and changes what was written."""

    def call(self, function: Any, *arguments: Any, name: str | None = None) -> Any:
        called = getattr(function, "__name__", "")
        result = super().call(function, *arguments, name=name)
        if called == "commit":
            for _ in range(2):
                super().call(function, *arguments, name=name)
        elif called == "write":
            for record in arguments[0].records:
                _spoil(record)
            arguments[0].records.clear()
        return result


def _spoil(record: Any) -> None:
    """Change a record that can be changed."""
    if isinstance(record, (list, dict, set)):
        record.clear()
    elif isinstance(record, Row):
        for i in range(len(record)):
            record[i] = None
    elif hasattr(record, "__dict__"):
        vars(record).clear()


class _InLargeBatches(Calls):
    """Hands the sink many records where one is given."""

    def __init__(self, suite: SinkConformance, size: int) -> None:
        super().__init__()
        self._suite, self._size = suite, size
        self.written: list[Any] = []

    def call(self, function: Any, *arguments: Any, name: str | None = None) -> Any:
        if getattr(function, "__name__", "") == "write":
            begin = len(self.written)
            records = [self._suite.record(begin + n) for n in range(self._size)]
            self.written += records
            arguments = (Batch(records),)
        return super().call(function, *arguments, name=name)


def _new(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def _local() -> Configuration:
    """Jobs of the suites fail at once."""
    configuration = Configuration()
    configuration.set_string("restart-strategy.type", "none")
    return configuration


def _texts(error: BaseException | None) -> str:
    texts = []
    while error is not None:
        texts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return "\n".join(texts)
