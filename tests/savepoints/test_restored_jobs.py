"""A job that goes on from a savepoint gives what an undisturbed one gives, whatever its new shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from datastream import KeyedProcessFunction, WatermarkStrategy
from datastream.time import Duration
from tests.support.kept_jobs import KEYS, At, Kept, counted, kept, large, reduced, ruled, sessions, tumbling
from tests.support.savepoints import EPOCH, Part

SHAPES = [(2, 128), (5, 128), (1, 128), (3, 40)]


@pytest.mark.long
@pytest.mark.parametrize(("parallelism", "key_groups"), SHAPES)
@pytest.mark.parametrize("build", [kept, large, reduced, tumbling, sessions, ruled])
def test_a_restored_job_goes_on(build: Any, parallelism: int, key_groups: int, tmp_path: Path) -> None:
    whole = Part(build)
    first = Part(build, epochs=2)
    manifest = first.handle.savepoint(tmp_path / "savepoint")
    more = {"pipeline.max-parallelism": str(key_groups)}
    rest = Part(build, savepoint=tmp_path / "savepoint", parallelism=parallelism, more=more)
    assert first.results, "the first part gave something"
    found, wanted = counted(first.results + rest.results), counted(whole.results)
    lost, more_than = list((wanted - found).items())[:3], list((found - wanted).items())[:3]
    assert found == wanted, f"not there {lost}; too often {more_than}"
    assert rest.epochs[:2] == [manifest.epoch, manifest.epoch + 1]


def test_a_chain_of_savepoints(tmp_path: Path) -> None:
    """Each with other key groups, so that large collections are numbered again and again."""
    parts = [Part(large, epochs=1)]
    for n, key_groups in enumerate((40, 300, 7)):
        parts[-1].handle.savepoint(tmp_path / str(n))
        more = {"pipeline.max-parallelism": str(key_groups)}
        parts.append(Part(large, epochs=1, savepoint=tmp_path / str(n), more=more))
    assert counted([r for part in parts for r in part.results]) == counted(Part(large).results)


class Other(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


def reshaped(env, numbers):
    """The job `kept` under another level, with an operator more before it and another behind it."""
    spread = numbers.key_by(lambda n: n % 7).process(Other()).uid("other").rebalance().map(lambda n: n)
    timed = spread.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2000)).with_timestamp_assigner(At())
    )
    made = timed.uid("times").key_by(lambda n: n % KEYS).process(Kept()).uid("kept")
    return made.key_by(lambda r: r[1]).process(Other()).uid("behind")


def with_more(env, numbers):
    """The job `kept` with another operator beside it, whose state nobody wants later."""
    aside = numbers.map(lambda n: (0, n)).key_by(lambda p: p[0]).reduce(lambda a, b: (0, a[1] + b[1])).uid("sum of all")
    return kept(env, numbers).union(aside)


def test_operators_are_found_by_uid(tmp_path: Path) -> None:
    first = Part(with_more, epochs=2)
    first.handle.savepoint(tmp_path / "savepoint")
    more = {"execution.savepoint.ignore-unclaimed-state": "true"}
    rest = Part(reshaped, savepoint=tmp_path / "savepoint", parallelism=4, more=more)
    whole = Part(kept)

    def final(results: list[Any]) -> dict[int, Any]:
        last: dict[int, Any] = {}
        for result in results:
            if result[0] == "kept" and result[2] > last.get(result[1], (0,))[0]:
                last[result[1]] = result[2:]
        return last

    assert final(rest.results) == final(whole.results)
    timers = [r for r in first.results + rest.results if r[0] == "timer"]
    assert counted(timers) == counted([r for r in whole.results if r[0] == "timer"])


def test_the_first_part_has_two_epochs() -> None:
    assert Part(kept, epochs=2).epochs[:2] == [0, 1]
    assert EPOCH > KEYS
