"""What a savepoint does not fit, and damage: an error that says what to do, before anything is written."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xxhash import xxh3_128_hexdigest

from datastream import KeyedProcessFunction, MapFunction, Types
from datastream.api.step import node_of
from datastream.errors import CheckpointError, CheckpointMismatch, DataStreamError
from datastream.functions import BroadcastProcessFunction
from datastream.runtime.savepoints.manifest import new_folder, read_manifest
from datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time
from tests.support.kept_jobs import large
from tests.support.savepoints import Part


class Summing(KeyedProcessFunction):
    """Keeps a value made of each number in a state of some kind and type."""

    def __init__(self, descriptor: StateDescriptor, value: Any = None) -> None:
        self.descriptor = descriptor
        self.value = value

    def open(self, runtime_context):
        get = {
            ValueStateDescriptor: runtime_context.get_state,
            ListStateDescriptor: runtime_context.get_list_state,
            MapStateDescriptor: runtime_context.get_map_state,
            ReducingStateDescriptor: runtime_context.get_reducing_state,
        }[type(self.descriptor)]
        self.state = get(self.descriptor)

    def process_element(self, value, ctx):
        if isinstance(self.descriptor, ValueStateDescriptor):
            yield self.state.value()
            self.state.update(self.value)
        elif isinstance(self.descriptor, MapStateDescriptor):
            yield dict(self.state.items())
            self.state.put(value, self.value)
        elif isinstance(self.descriptor, ListStateDescriptor):
            yield list(self.state.get())
            self.state.add(self.value)
        else:
            yield self.state.get()
            self.state.add(self.value)


def keeping(descriptor: StateDescriptor, value: Any = None, uid: str = "kept") -> Any:
    return lambda env, numbers: numbers.key_by(lambda n: n % 5).process(Summing(descriptor, value)).uid(uid)


def saved(tmp_path: Path, build: Any) -> Path:
    Part(build, epochs=1).handle.savepoint(tmp_path / "savepoint")
    return tmp_path / "savepoint"


def value(kind: Any) -> ValueStateDescriptor:
    return ValueStateDescriptor("value", kind)


def living(descriptor: Any) -> Any:
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
    return descriptor


# -- types that changed ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "kept", "after", "given"),
    [
        (value(Types.LONG()), 7, value(Types.DOUBLE()), 7.0),
        (value(Types.LONG()), 7, value(Types.STRING()), "7"),
        (value(Types.STRING()), "7", value(Types.INT()), 7),
        (value(Types.DOUBLE()), 7.0, value(Types.INT()), 7),
        (living(value(Types.LONG())), 7, living(value(Types.DOUBLE())), 7.0),
        (value(Types.LONG()), 7, living(value(Types.DOUBLE())), 7.0),
        (living(value(Types.LONG())), 7, value(Types.LONG()), 7),
        (ListStateDescriptor("l", Types.LONG()), 7, ListStateDescriptor("l", Types.DOUBLE()), [7.0] * 100),
        (ListStateDescriptor("l", Types.LONG()), 7, living(ListStateDescriptor("l", Types.LONG())), [7] * 100),
        (living(ListStateDescriptor("l", Types.LONG())), 7, ListStateDescriptor("l", Types.LONG()), [7] * 100),
        (
            ReducingStateDescriptor("r", lambda a, b: a, Types.LONG()),
            7,
            ReducingStateDescriptor("r", lambda a, b: a, Types.DOUBLE()),
            7.0,
        ),
    ],
)
@pytest.mark.parametrize("key_groups", ["128", "9"])
def test_values_that_convert_are_converted(
    before: Any, kept: Any, after: Any, given: Any, key_groups: str, tmp_path: Path
) -> None:
    more = {"pipeline.max-parallelism": key_groups}
    rest = Part(keeping(after, given), savepoint=saved(tmp_path, keeping(before, kept)), more=more)
    assert rest.results[0] == given
    assert type(rest.results[0]) is type(given)
    assert repr(rest.results[0]) == repr(given)


@pytest.mark.parametrize("large", [20, 3000])
def test_values_of_maps_are_converted(large: int, tmp_path: Path) -> None:
    class Filled(MapFunction):
        def open(self, runtime_context):
            self.state = runtime_context.get_map_state(MapStateDescriptor("m", Types.LONG(), Types.LONG()))

        def map(self, value):
            for n in range(large):
                self.state.put(n, n)
            return value

    def filled(env, numbers):
        return numbers.filter(lambda n: n == 5).key_by(lambda n: n % 5).map(Filled()).uid("kept")

    after = keeping(MapStateDescriptor("m", Types.LONG(), Types.DOUBLE()), 0.0)
    rest = Part(after, savepoint=saved(tmp_path, filled))
    found = next(r for r in rest.results if len(r) >= large)
    assert len(found) == large
    assert {type(v) for v in found.values()} == {float}


@pytest.mark.parametrize(
    ("before", "kept", "after", "message"),
    [
        (value(Types.STRING()), "seven", value(Types.INT()), "the state 'value' is declared as .*'seven' for the key"),
        (value(Types.LONG()), 1 << 40, value(Types.INT()), "1099511627776 .*out of range"),
        (value(Types.DOUBLE()), 7.5, value(Types.INT()), "has 7.5 for the key"),
        (
            ListStateDescriptor("s", Types.LONG()),
            7,
            MapStateDescriptor("s", Types.LONG(), Types.LONG()),
            "declared as a map, but the savepoint has a list",
        ),
        (
            MapStateDescriptor("m", Types.LONG(), Types.LONG()),
            7,
            MapStateDescriptor("m", Types.STRING(), Types.LONG()),
            "keys of maps are not converted",
        ),
    ],
)
def test_values_that_do_not_convert_are_refused(
    before: Any, kept: Any, after: Any, message: str, tmp_path: Path
) -> None:
    savepoint = saved(tmp_path, keeping(before, kept))
    with pytest.raises(DataStreamError, match=message):
        Part(keeping(after), savepoint=savepoint)
    Part(keeping(before, kept), savepoint=savepoint)


def test_a_large_collection_keeps_its_lifetime(tmp_path: Path) -> None:
    savepoint = saved(tmp_path, large)
    living_numbers = living(ListStateDescriptor("numbers", Types.LONG()))
    with pytest.raises(DataStreamError, match="'numbers' has a time to live in this job alone, and the key"):
        Part(keeping(living_numbers, 7, uid="large"), savepoint=savepoint)


def test_without_type_checks_values_stay_as_they_are(tmp_path: Path) -> None:
    savepoint = saved(tmp_path, keeping(value(Types.STRING()), "seven"))
    rest = Part(keeping(value(Types.INT()), 7), savepoint=savepoint, more={"datastream.types.check": "off"})
    assert rest.results[0] == "seven"


def test_an_aggregate_of_another_type(tmp_path: Path) -> None:
    def summed(kind: Any, of: Callable[[int], Any]) -> Any:
        return lambda env, numbers: (
            numbers.map(lambda n: (n % 3, of(n)), output_type=Types.TUPLE([Types.LONG(), kind]))
            .key_by(lambda p: p[0])
            .reduce(lambda a, b: (a[0], a[1] + b[1]))
            .uid("summed")
        )

    savepoint = saved(tmp_path, summed(Types.LONG(), int))
    rest = Part(summed(Types.DOUBLE(), float), savepoint=savepoint)
    assert {type(r[1]) for r in rest.results} == {float}
    with pytest.raises(DataStreamError, match="the running aggregate is declared as"):
        Part(summed(Types.BOOLEAN(), bool), savepoint=savepoint)


class Collecting(BroadcastProcessFunction):
    def __init__(self, descriptor: MapStateDescriptor) -> None:
        self.descriptor = descriptor

    def process_element(self, value, ctx):
        yield sorted(ctx.get_broadcast_state(self.descriptor).items())

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(self.descriptor).put(f"k{value}", value)


def test_broadcast_state_is_converted(tmp_path: Path) -> None:
    def with_rules(kind: Any) -> Any:
        rules = MapStateDescriptor("rules", Types.STRING(), kind)

        def build(env, numbers):
            few = numbers.filter(lambda n: n <= 3).broadcast(rules)
            return numbers.filter(lambda n: n > 3).connect(few).process(Collecting(rules)).uid("ruled")

        return build

    rest = Part(with_rules(Types.DOUBLE()), savepoint=saved(tmp_path, with_rules(Types.LONG())), parallelism=5)
    assert {repr(r) for r in rest.results} == {"[('k1', 1.0), ('k2', 2.0), ('k3', 3.0)]"}
    with pytest.raises(DataStreamError, match="the broadcast state 'rules' is declared"):
        Part(with_rules(Types.BOOLEAN()), savepoint=tmp_path / "savepoint")


# -- jobs that differ ------------------------------------------------------------------------------------


def test_state_without_an_operator_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    savepoint = saved(tmp_path, keeping(value(Types.LONG()), 7))
    renamed = keeping(value(Types.LONG()), 7, uid="kept2")
    with pytest.raises(CheckpointMismatch, match="'kept', a keyed_process; this job has 'kept2'.*\n.*--allow-non-rest"):
        Part(renamed, savepoint=savepoint)
    more = {"execution.state-recovery.ignore-unclaimed-state": "true"}
    with caplog.at_level(logging.WARNING, "datastream"):
        assert Part(renamed, savepoint=savepoint, more=more).results[0] is None
    assert "has state that is left behind" in caplog.text


def test_default_uids_are_explained(tmp_path: Path) -> None:
    def by_default(env, numbers):
        return numbers.key_by(lambda n: n % 5).process(Summing(value(Types.LONG()), 7))

    savepoint = saved(tmp_path, by_default)
    with pytest.raises(CheckpointMismatch, match="'keyed_process-1', a keyed_process(.*\n)*.*place in the script"):
        Part(lambda env, numbers: by_default(env, numbers.map(lambda n: n)), savepoint=savepoint)


def test_another_kind_is_refused(tmp_path: Path) -> None:
    savepoint = saved(tmp_path, keeping(value(Types.LONG()), 7))

    def reduced(env, numbers):
        return numbers.key_by(lambda n: n % 5).reduce(lambda a, b: a + b).uid("kept")

    with pytest.raises(CheckpointMismatch, match="'kept' keeps the state of a keyed_process, but is a reduce"):
        Part(reduced, savepoint=savepoint)


def test_another_source_is_refused(tmp_path: Path) -> None:
    savepoint = saved(tmp_path, keeping(value(Types.LONG()), 7))

    def of_list(env, numbers):
        listed = env.from_collection([1, 2, 3]).uid("numbers")
        node_of(numbers).change(uid="other")
        return keeping(value(Types.LONG()), 7)(env, listed)

    with pytest.raises(CheckpointMismatch, match="'numbers' has the offset of a NumberSequenceSource, but is a Coll"):
        Part(of_list, savepoint=savepoint)


# -- damage ----------------------------------------------------------------------------------------------


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def rewrite(folder: Path, **fields: Any) -> None:
    file = folder / "manifest.json"
    content = json.loads(file.read_text()) | fields
    content.pop("checksum")
    content["checksum"] = xxh3_128_hexdigest(json.dumps(content, sort_keys=True).encode())
    file.write_text(json.dumps(content))


DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    (lambda f: (f / "manifest.json").unlink(), "is not a savepoint: it has no manifest.json"),
    (lambda f: (f / "manifest.json").write_text("{"), "damaged: manifest.json cannot be read"),
    (lambda f: (f / "manifest.json").write_text("[]"), "damaged: manifest.json cannot be read"),
    (lambda f: (f / "manifest.json").write_bytes(b"\xff\xfe"), "damaged: manifest.json cannot be read"),
    (
        lambda f: (f / "manifest.json").write_text(
            (f / "manifest.json").read_text().replace('"epoch": 0', '"epoch": 1')
        ),
        "manifest.json was changed",
    ),
    (lambda f: next((f / "state").iterdir()).unlink(), "state/.* is missing"),
    (lambda f: flip(next((f / "state").iterdir())), "the checksum of state/"),
    (lambda f: next((f / "state").iterdir()).write_bytes(b""), "has 0 bytes instead of"),
    (lambda f: rewrite(f, savepoint=2, release="7.0"), "is of version 2, written by datastream 7.0"),
    (lambda f: rewrite(f, format=99, release="7.0"), "has state of format 99, written by datastream 7.0"),
    (lambda f: shutil.rmtree(f), "is not a savepoint"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_damage_is_found(damage: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    savepoint = saved(tmp_path, keeping(value(Types.LONG()), 7))
    assert read_manifest(savepoint).keys == 5
    damage(savepoint)
    with pytest.raises(CheckpointError, match=message):
        Part(keeping(value(Types.LONG()), 7), savepoint=savepoint)


def test_a_folder_with_something_in_it_is_no_target(tmp_path: Path) -> None:
    part = Part(keeping(value(Types.LONG()), 7), epochs=1)
    (tmp_path / "note").write_text("mine")
    with pytest.raises(CheckpointError, match="is not empty: a savepoint needs a new one"):
        part.handle.savepoint(tmp_path)
    with pytest.raises(CheckpointError, match="it is a file; choose another"):
        part.handle.savepoint(tmp_path / "note")
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_what_failed_first_is_said_even_if_the_rest_cannot_be_removed(tmp_path, monkeypatch):
    def busy(*arguments, **named):
        raise OSError(16, "Device or resource busy")

    with (
        pytest.raises(CheckpointError, match="cannot be written: .*No space left on device"),
        new_folder(tmp_path / "taken"),
    ):
        monkeypatch.setattr("os.rmdir", busy)
        raise OSError(28, "No space left on device")
