"""Tests that build streams, and may share a job with others."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import Any

from datastream.api.environment import StreamExecutionEnvironment


@dataclass(frozen=True)
class Case:
    """A test that can share a job with others.

    Attributes:
        build: env -> generator that yields streams and is sent their records.
        parallelism: The job's default parallelism.
        batch: Batch mode instead of streaming mode.
        alone: Never share a job.
    """

    build: Callable[[StreamExecutionEnvironment], Generator[Any, Any, None]]
    parallelism: int = 2
    batch: bool = False
    alone: bool = False

    def __str__(self) -> str:
        return place(self.build)

    @property
    def options(self) -> tuple[int, bool]:
        """Cases that agree on these may share a job."""
        return self.parallelism, self.batch


def place(function: Any) -> str:
    """A function's name, file and line, for messages."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    name = getattr(function, "__name__", repr(function))
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else name


#: A job of more cases takes longer than a test may.
_TOGETHER = 75


def share(cases: Iterable[Case]) -> dict[Case, str]:
    """The cases that may share a job with others -> the name of their job."""
    groups: dict[Case, str] = {}
    counts: Counter[tuple[int, bool]] = Counter()
    for case in cases:
        if not case.alone:
            number = counts[case.options] // _TOGETHER
            groups[case] = f"spark-{case.parallelism}{'-batch' if case.batch else ''}-{number}"
            counts[case.options] += 1
    return groups


def case(build: Any = None, *, parallelism: int = 2, batch: bool = False, alone: bool = False) -> Any:
    """Make a test of a function that builds streams; it runs on the local executor and on Spark.

    The function gets an environment, yields one bounded stream or a tuple of them, gets back a list of records for
    each, and asserts::

        @case
        def test_squares(env):
            got = yield env.from_collection([1, 2, 3]).map(lambda n: n * n)
            assert sorted(got) == [1, 4, 9]

    A Spark job costs seconds however small it is, so cases of a test run that agree on parallelism and mode run
    as one job on Spark. Each test still asserts on its own records. If that job fails, every case runs by itself,
    and only the one at fault fails.

    Args:
        build: The function.
        parallelism: The job's default parallelism.
        batch: Batch mode instead of streaming mode.
        alone: Never share a job: for a function that changes the settings of its environment or executes it.

    Raises:
        TypeError: The function does not yield.
    """
    if build is None:
        return partial(case, parallelism=parallelism, batch=batch, alone=alone)
    if not inspect.isgeneratorfunction(build):
        raise TypeError(f"a case yields its streams, but there is no yield in {place(build)}")
    this = Case(build, parallelism, batch, alone)

    def test(run: Any) -> None:
        run.check(this)

    signature = inspect.signature(test)
    update_wrapper(test, build)  # pytest reports the line of the function
    test.__signature__ = signature  # type: ignore[attr-defined]
    test.__annotations__ = {}
    test.case = this  # type: ignore[attr-defined]
    return test
