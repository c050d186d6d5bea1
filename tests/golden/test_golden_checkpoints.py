"""Checkpoints of released versions go on with this one, give what an undisturbed run gives, and can be shown."""

from __future__ import annotations

import json
import pickletools
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from golden import archives, running
from golden.jobs import keys

from datastream import stored_types
from datastream.errors import CheckpointError
from datastream.graph.operators import Operator
from datastream.graph.state_forms import Stored, from_json
from datastream.runtime.runs import newest
from datastream.runtime.savepoints.entry_files import owners
from datastream.runtime.state_format import decode, layout
from datastream.runtime.state_format.records import FORMAT, MARK, WATERMARKS
from datastream.runtime.watermark_inputs import Inputs, from_record
from datastream.spark.checkpoints import job_file
from datastream.spark.state_view import _CheckpointEntries, open_reader

GOLDEN = archives.names()
NEWEST = max(release for release, _ in GOLDEN)
#: Operators with state that no job keeps in a checkpoint amid its run: what they keep is there in batch mode alone.
OF_BATCHES = {"sort_limit"}
PICKLED = b"\x80\x04"  # how the pickle of a key begins
EVERYTHING = [
    ("largest", "value"),
    ("living largest", "value"),
    ("living numbers", "list"),
    ("living squares", "map"),
    ("numbers", "list"),
    ("squares", "map"),
    ("total", "list"),
    ("values", "map"),
]


#: What tells forms of state from each other.
LABELS = {
    *("values", "contents", "broadcast", "function contents"),
    *("windows logs by window", "left logs", "right logs", "rows logs"),
}
#: What the entries of a form are; summaries of timers lie beside contents.
LETTERS = {Stored.VALUES: b"vVrR", Stored.CONTENTS: b"cCtkrR", Stored.BROADCAST: b"bB"}


def stateful_operators(above: type[Operator] = Operator) -> Iterator[type[Operator]]:
    """The classes of operators with state."""
    for one in above.__subclasses__():
        if "kind" in vars(one) and (one.keyed or one.keeps_broadcast_state):
            yield one
        yield from stateful_operators(one)


def entries(checkpoint: Path) -> list[tuple[bytes, bytes]]:
    return list(_CheckpointEntries(checkpoint, "local[*]", {})._read("true"))


def names(data: bytes) -> Iterator[tuple[str, str]]:
    """The (module, name) of each class and function that a pickle names, and the pickles of keys inside it."""
    strings: list[Any] = []
    memo: list[Any] = []
    for operation, argument, _ in pickletools.genops(data):
        if operation.name == "MEMOIZE":
            memo.append(strings[-1] if strings else None)
        elif operation.name in ("BINGET", "LONG_BINGET"):
            strings.append(memo[argument])
        elif operation.name == "STACK_GLOBAL":
            module, name = strings[-2:]
            yield module, name
            strings.append(None)
        elif operation.name == "GLOBAL":
            module, name = argument.split(" ")
            yield module, name
            strings.append(None)
        elif "UNICODE" in operation.name:
            strings.append(argument)
        elif "BYTES" in operation.name and argument[:2] == PICKLED:
            yield from names(bytes(argument))
            strings.append(None)
        else:
            strings.append(None)  # what is memoized next is no text


def watermarks(checkpoint: Path) -> list[Inputs]:
    """What all operators with inputs know of them."""
    found: list[Inputs] = []
    for key, data in entries(checkpoint):
        if key[8:] == b"\xff\xff\xff\xff\0\0\0\1":
            found += [from_record(record, {"lanes-timestamps": 1}) for record in decode(WATERMARKS, data)[0].values()]
    return found


@pytest.mark.long
@pytest.mark.parametrize(("release", "job"), GOLDEN)
def test_a_golden_checkpoint_goes_on(release: str, job: str, tmp_path: Path) -> None:
    golden = archives.unpack(release, job, tmp_path)
    after = running.run(job, golden.checkpoint)
    found, wanted = running.settled(golden.before + after), running.settled(golden.whole)
    lost, more = list((wanted - found).items())[:5], list((found - wanted).items())[:5]
    assert found == wanted, f"not there {lost}; too often {more}"
    if job == "keyed":  # timers of processing time, due since it was stopped
        clock = Counter(line for line in (golden.before + after).elements() if line.startswith("('clock'"))
        assert clock.keys() >= {"('clock', 'hot')", "('clock', ('key', 1))"}
        assert not any(line.startswith("('clock'") for line in golden.before)
    assert json.loads((golden.checkpoint / "job.json").read_text())["format"] == FORMAT


@pytest.mark.long
@pytest.mark.parametrize(("release", "job"), GOLDEN)
def test_a_golden_checkpoint_is_shown(release: str, job: str, tmp_path: Path) -> None:
    golden = archives.unpack(release, job, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    reader = open_reader(golden.checkpoint)
    rows = list(reader.rows(limit=5000))
    assert rows
    assert reader.problems == []
    if job == "keyed":
        shown = {(row.state, row.form): row for row in rows if row.operator == "everything" and row.key == "hot"}
        assert [shown[name].entries for name in EVERYTHING[2:6]] == [1500] * 4
        assert shown["squares", "map"].value[55] == 55 * 55
        assert shown["living numbers", "list"].touched is not None
        assert shown["(processing-time timers)", "timers"].value[-1] == 4_102_444_800_000
        assert repr(shown["values", "map"].value[14]) == "Row(id=5, name='named')"
    if job == "keys":
        for operator in ("mapped", "flat mapped", "filtered", "timed"):
            counts = {keys.shown(r.key): r.value for r in rows if r.operator == operator and r.state == "count"}
            assert counts.keys() == {keys.shown(key) for of in keys.KEYS for key in of}
            assert all(30 < count < keys.TIMES for count in counts.values())
        reduced = {(row.state, row.form) for row in rows if row.operator == "reduced"}
        assert {("calls", "value"), ("counts", "map")} <= reduced
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("job", running.JOBS)
def test_state_names_no_class_of_ours(job: str, tmp_path: Path) -> None:
    last = [release for release, of in GOLDEN if of == job][-1]
    assert last.startswith(f"{FORMAT}-")
    found = entries(archives.unpack(last, job, tmp_path).checkpoint)
    assert found
    assert all(data[:1] == MARK for _, data in found)
    runs = sorted(entry for entry in found if layout.is_run(entry[0]))
    assert bool(runs) == (job == "crowd")
    pickles = [data[3:] for key, data in found if not layout.is_run(key)]
    pickles += [
        kept for _, some in groupby(runs, lambda entry: layout.prefix_and_group(entry[0])) for kept in newest(some)
    ]
    for data in pickles:
        for module, name in names(data):
            ours = module.partition(".")[0] in ("datastream", "connectors", "services")
            assert not ours or (module == "datastream.stored_types" and name in stored_types.HOMES), (module, name)


@pytest.mark.long
@pytest.mark.parametrize("job", running.JOBS)
def test_every_entry_has_an_owner_and_a_name(job: str, tmp_path: Path) -> None:
    golden = archives.unpack(NEWEST, job, tmp_path)
    operators = json.loads((golden.checkpoint / "job.json").read_text())["job"]["state"]
    whose = owners({uid: from_json(about) for uid, about in operators.items()})
    for key, data in entries(golden.checkpoint):
        owner = whose.get(key[: layout.PREFIX])
        if owner is None:
            assert key == layout.WATERMARKS_KEY
        else:
            letters = b"aA" if owner.form.logs else LETTERS[owner.form.stored]
            assert data[1] in letters + LETTERS[Stored.BROADCAST], (owner, data[:3])
    reader = open_reader(golden.checkpoint)
    assert not [name for name in reader.names() if "(slot" in name.state or "(broadcast" in name.state]
    assert not reader.problems


def test_there_is_a_golden_checkpoint_of_every_kind_of_state(tmp_path: Path) -> None:
    kept: set[tuple[str, str]] = set()
    for job in running.JOBS:
        state = json.loads((archives.unpack(NEWEST, job, tmp_path / job).checkpoint / "job.json").read_text())["job"]
        kept |= {(about["kind"], form.label) for about in state["state"].values() for form in from_json(about)}
    assert {kind for kind, _ in kept} | OF_BATCHES == {one.kind for one in stateful_operators()}
    assert {label for _, label in kept} == LABELS


@pytest.mark.parametrize("release", [release for release, job in GOLDEN if job == "lanes"])
def test_watermarks_of_inputs_are_remembered(release: str, tmp_path: Path) -> None:
    lanes = watermarks(archives.unpack(release, "lanes", tmp_path / "lanes").checkpoint)
    known = [(sorted(one.lanes), one.valve.watermark, one.known) for of in lanes for one in of.inputs if one.lanes]
    assert [[lane for _, lane in names] for names, _, _ in known] == [["a", "b", "c"]]
    assert known[0][1] == 39_999 - 1000  # lane c has nothing after 39 s
    streams = watermarks(archives.unpack(release, "streams", tmp_path / "streams").checkpoint)
    idle = [one for of in streams for one in of.inputs if any(said.idle for said in one.valve.channels)]
    assert idle
    assert all(one.given.watermark > 20_000 for one in idle if not one.valve.idle)


@pytest.mark.long
def test_a_checkpoint_directory_may_be_moved(tmp_path: Path) -> None:
    before = running.run("lanes", tmp_path / "first", first_half=True)
    (tmp_path / "first").rename(tmp_path / "second")
    assert list(open_reader(tmp_path / "second").rows())
    after = running.run("lanes", tmp_path / "second")
    assert before + after == running.run("lanes", None, "local")
    assert not (tmp_path / "first").exists()


def test_state_of_a_later_format_is_refused(tmp_path: Path) -> None:
    golden = archives.unpack(NEWEST, "lanes", tmp_path)
    file = golden.checkpoint / "job.json"
    content = json.loads(file.read_text()) | {"format": FORMAT + 1, "release": "7.0.0"}
    del content["checksum"]
    file.write_text(json.dumps({**content, "checksum": job_file._checksum(content)}))
    before = {path: path.stat().st_mtime_ns for path in golden.checkpoint.rglob("*") if path.name != "owner.lock"}
    wanted = rf"has format {FORMAT + 1}, written by datastream 7\.0\.0; .* reads format {FORMAT}\."
    with pytest.raises(CheckpointError, match=wanted):
        running.run("lanes", golden.checkpoint)
    with pytest.raises(CheckpointError, match=wanted):
        open_reader(golden.checkpoint)
    after = {path: path.stat().st_mtime_ns for path in golden.checkpoint.rglob("*") if path.name != "owner.lock"}
    assert after == before
