"""FileSink: names, buckets, rolling, jobs that follow each other."""

import json
import os
import re

import pytest

from datastream.connectors.files import (
    BucketAssigner,
    FileSink,
    FileSource,
    OutputFileConfig,
    RollingPolicy,
    StreamFormat,
    StreamingFileSink,
)
from datastream.connectors.files import committer as committer_module
from datastream.errors import CheckpointError, JobError, UnsupportedOperation, ValidationError
from datastream.formats import BulkWriter, BulkWriterFactory, Encoder
from datastream.io import Batch
from datastream.types import Row, Types
from tests.support.drive import begun, committer_of, context, drive, write, write_epoch

EACH_EPOCH = RollingPolicy.on_checkpoint_rolling_policy()
NEVER = RollingPolicy.default_rolling_policy(10**12, 10**12, 10**12)
BASE = BucketAssigner.base_path_bucket_assigner()


def sink(path, policy=EACH_EPOCH, encoder=None, assigner=BASE):
    builder = FileSink.for_row_format(str(path), encoder or Encoder.simple_string_encoder())
    return builder.with_rolling_policy(policy).with_bucket_assigner(assigner).build()


JOB = re.compile("-[0-9a-f]{16}(?=-)")


def visible(path):
    """By name without the job's part, the lines of the files that a reader takes."""
    found = {}
    for name, lines in by_name(path).items():
        assert JOB.search(name) or lines == ["mine"] or lines[0].startswith("old ")
        found.setdefault(JOB.sub("", name), []).extend(lines)
    return found


def by_name(path):
    """By name, the lines of the files that a reader takes."""
    found = {}
    for root, folders, files in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            full = os.path.join(root, name)
            with open(full) as file:
                found[os.path.relpath(full, path)] = file.read().splitlines()
    return found


def run(made, epochs, job="job", first=0, final=True):
    committer = committer_of(made, job)
    for epoch in range(first, first + epochs):
        rows = write_epoch(made, epoch, lambda n, e=epoch: [f"{e}.{n}"], job=job)
        committer.commit(epoch, rows, final and epoch == first + epochs - 1)


def test_nothing_is_visible_before_the_commit(tmp_path):
    made = sink(tmp_path)
    rows = write_epoch(made, 0, lambda n: ["x"])
    assert visible(tmp_path) == {}
    committer_of(made).commit(0, rows, False)
    assert visible(tmp_path) == {"part-0-0": ["x"], "part-1-0": ["x"]}
    assert drive(FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path)).build()) == [
        "x",
        "x",
    ]


def test_pieces_of_epochs_become_one_part_file(tmp_path):
    run(sink(tmp_path, NEVER), 3, final=False)
    assert visible(tmp_path) == {}
    committer_of(sink(tmp_path, NEVER)).commit(3, [], True)
    assert visible(tmp_path) == {"part-0-0": ["0.0", "1.0", "2.0"], "part-1-0": ["0.1", "1.1", "2.1"]}


def test_size_rolls(tmp_path):
    policy = RollingPolicy.default_rolling_policy(part_size=8)
    run(sink(tmp_path, policy), 5, final=False)
    assert visible(tmp_path)["part-0-0"] == ["0.0", "1.0"]
    assert visible(tmp_path)["part-0-1"] == ["2.0", "3.0"]
    assert len(visible(tmp_path)) == 4


@pytest.mark.parametrize("policy", [(10**9, 1_000, 10**9), (10**9, 10**9, 1_000)])
def test_age_and_inactivity_roll(tmp_path, monkeypatch, policy):
    now = 1_000.0
    monkeypatch.setattr(committer_module.time, "time", lambda: now)
    made = sink(tmp_path, RollingPolicy.default_rolling_policy(*policy))
    committer = committer_of(made)
    committer.commit(0, [write(made, context(0), ["a"])], False)
    now += 0.9
    committer.commit(1, [write(made, context(1), ["b"])], False)
    assert visible(tmp_path) == {}
    now += 1
    committer.commit(2, [], False)
    assert visible(tmp_path) == {"part-0-0": ["a", "b"]}


@pytest.mark.parametrize("more", [[], ["b"]])
def test_a_clock_that_is_set_back_hides_no_part_for_long(tmp_path, monkeypatch, more):
    now = 10_000.0
    monkeypatch.setattr(committer_module.time, "time", lambda: now)
    made = sink(tmp_path, RollingPolicy.default_rolling_policy(10**9, 60_000, 60_000))
    committer = committer_of(made)
    committer.commit(0, [write(made, context(0), ["a"])], False)
    now -= 3600
    committer.commit(1, [write(made, context(1), more)] if more else [], False)
    now += 59
    committer.commit(2, [], False)
    assert visible(tmp_path) == {}
    now += 1
    committer.commit(3, [], False)
    assert visible(tmp_path) == {"part-0-0": ["a", *more]}


def test_csv_header_once_a_file(tmp_path):
    made = sink(tmp_path, NEVER, Encoder.csv(header=["a", "b"]))
    committer = committer_of(made)
    for epoch in range(3):
        committer.commit(epoch, [write(made, context(epoch), [(epoch, "x")])], epoch == 2)
    assert visible(tmp_path) == {"part-0-0": ["a,b", "0,x", "1,x", "2,x"]}


def test_names_have_prefix_and_suffix(tmp_path):
    config = OutputFileConfig.builder().with_part_prefix("out").with_part_suffix(".txt").build()
    builder = StreamingFileSink.for_row_format(str(tmp_path), Encoder.simple_string_encoder())
    run(builder.with_bucket_assigner(BASE).with_output_file_config(config).with_fsync().build(), 1)
    assert set(visible(tmp_path)) == {"out-0-0.txt", "out-1-0.txt"}
    with pytest.raises(ValidationError, match="a/b"):
        OutputFileConfig("a/b")


class ByFirstLetter(BucketAssigner):
    def get_bucket_id(self, element, processing_time):
        return f"letter={element[0]}/x"


def test_own_buckets(tmp_path):
    made = sink(tmp_path, assigner=ByFirstLetter())
    committer_of(made).commit(0, [write(made, context(), ["a1", "b1"], ["a2"])], False)
    assert visible(tmp_path) == {"letter=a/x/part-0-0": ["a1", "a2"], "letter=b/x/part-0-1": ["b1"]}


@pytest.mark.parametrize("bucket", ["../out", "/abs", "a//b", ".datastream"])
def test_buckets_stay_below_the_base_path(tmp_path, bucket):
    class Bad(BucketAssigner):
        def get_bucket_id(self, element, processing_time):
            return bucket

    with pytest.raises(JobError, match="bucket"):
        write(sink(tmp_path, assigner=Bad()), context(), ["x"])


@pytest.mark.parametrize(
    ("bucket", "message"),
    [
        ("é" * 128, "a name is too long"),
        ("new/" + "x" * 256, "a name is too long"),
        ("notes.txt", "there is a file of this name"),
        ("notes.txt/a", "there is a file of its folder's name"),
        (None, "a str, got NoneType None"),
    ],
)
def test_a_bucket_that_no_commit_can_make_is_refused(tmp_path, bucket, message):
    class Wrong(BucketAssigner):
        def get_bucket_id(self, element, processing_time):
            return bucket

    (tmp_path / "notes.txt").write_text("mine\n")
    with pytest.raises(JobError, match=message):
        write_epoch(sink(tmp_path, assigner=Wrong()), 0, lambda n: ["a"], job="one")
    run(sink(tmp_path), 1, job="two")
    assert visible(tmp_path) == {"notes.txt": ["mine"], "part-0-0": ["0.0"], "part-1-0": ["0.1"]}


def test_date_time_buckets():
    def bucket(*args):
        return BucketAssigner.date_time_bucket_assigner(*args).get_bucket_id("x", 1_700_000_000_000)

    assert re.fullmatch(r"\d{4}-\d\d-\d\d--\d\d", bucket())
    assert bucket("yyyy-MM-dd--HH", "UTC") == "2023-11-14--22"
    assert bucket("'y%='yyyy/mm'''q'''", "Asia/Tokyo") == "y%=2023/13'q'"
    for args in [("QQQ",), ("yyyyMM'x",), ("HH", "Nowhere/City")]:
        with pytest.raises(ValidationError):
            bucket(*args)


class Reversed(BulkWriterFactory):
    """A format that needs all records before it can write the first."""

    def create(self, stream):
        class Backwards(BulkWriter):
            def __init__(self):
                self.records = []

            def add_element(self, value):
                self.records.append(value)

            def flush(self):
                pass

            def finish(self):
                stream.write("".join(f"{record}\n" for record in reversed(self.records)).encode())

        return Backwards()


def test_bulk_formats_make_a_file_an_epoch_and_task(tmp_path):
    made = FileSink.for_bulk_format(str(tmp_path), Reversed()).with_bucket_assigner(BASE).build()
    committer = committer_of(made)
    committer.commit(0, [write(made, context(), ["a"], ["b"])], False)
    assert visible(tmp_path) == {"part-0-0": ["b", "a"]}
    with pytest.raises(ValidationError, match="on_checkpoint"):
        FileSink.for_bulk_format(str(tmp_path), Reversed()).with_rolling_policy(NEVER).build()


def test_a_replayed_epoch_counts_once(tmp_path):
    made = sink(tmp_path, NEVER)
    run(made, 2, final=False)
    again = committer_of(made)
    again.commit(1, write_epoch(made, 1, lambda n: ["again"], attempt=1), True)
    assert sorted(sum(visible(tmp_path).values(), [])) == ["0.0", "0.1", "1.0", "1.1"]


def test_the_same_committables_twice_count_once(tmp_path):
    for name, policy in [("a", NEVER), ("b", EACH_EPOCH)]:
        made = sink(tmp_path / name, policy)
        rows = write_epoch(made, 0, lambda n: ["x"])
        committer = committer_of(made)
        committer.commit(0, rows, False)
        committer.commit(0, rows, False)
        committer.abort(0, rows)
        committer.commit(1, [], True)
        assert sum(visible(tmp_path / name).values(), []) == ["x", "x"]


def test_jobs_and_sinks_have_names_of_their_own(tmp_path):
    run(sink(tmp_path), 1, "first")
    before = by_name(tmp_path)
    run(sink(tmp_path), 1, "second")
    assert sorted(by_name(tmp_path))[:2] == sorted(before)  # read in the order in which jobs wrote them
    committer_of(sink(tmp_path), uid="other").commit(0, [write(sink(tmp_path), context(uid="other"), ["x"])], True)
    assert len(by_name(tmp_path)) == 5 and before.items() <= by_name(tmp_path).items()
    assert set(visible(tmp_path)) == {"part-0-0", "part-1-0"}


def test_what_an_earlier_job_left_committed_is_not_lost(tmp_path):
    run(sink(tmp_path, NEVER), 2, "first", final=False)
    run(sink(tmp_path, NEVER), 1, "second", final=True)
    assert sorted(sum(visible(tmp_path).values(), [])) == ["0.0", "0.0", "0.1", "0.1", "1.0", "1.1"]


@pytest.mark.parametrize("policy", [EACH_EPOCH, NEVER])
def test_running_jobs_may_have_one_uid(tmp_path, policy):
    """None takes another one for one that has ended, whatever it has not yet made visible."""
    made = sink(tmp_path, policy)
    jobs = ["one", "two", "three"]
    writers = {job: begun(made, context(0, job=job)) for job in jobs}
    for job, writer in writers.items():
        writer.write(Batch([f"{job} 0"]))
    committers = {job: committer_of(made, job) for job in jobs}
    prepared = {job: writer.prepare_commit() for job, writer in writers.items()}
    for job in jobs:  # the first commit of a job looks for what others have left
        committers[job].commit(0, [prepared[job]], False)
    for epoch in (1, 2):
        for job in reversed(jobs):
            committers[job].commit(epoch, write_epoch(made, epoch, lambda n, j=job: [f"{j} {n}"], job=job), epoch == 2)
    wanted = [f"{job} {n}" for job in jobs for n in (0, 0, 0, 1, 1)]
    assert sorted(sum(visible(tmp_path).values(), [])) == sorted(wanted)


def test_what_waits_of_a_job_that_runs_is_left_to_it(tmp_path):
    made = sink(tmp_path, NEVER)
    first = committer_of(made, "first")
    first.commit(0, write_epoch(made, 0, lambda n: ["first"], job="first"), False)
    run(made, 1, "second")
    assert sorted(sum(visible(tmp_path).values(), [])) == ["0.0", "0.1"]
    first.close()  # it has ended
    run(made, 1, "third")
    assert sorted(sum(visible(tmp_path).values(), [])) == ["0.0", "0.0", "0.1", "0.1", "first", "first"]
    again = committer_of(made, "first")  # and comes back
    again.commit(0, write_epoch(made, 0, lambda n: ["again"], job="first"), False)
    again.commit(1, write_epoch(made, 1, lambda n: ["later"], job="first"), True)
    assert sorted(sum(visible(tmp_path).values(), []))[4:] == ["first", "first", "later", "later"]


def test_the_folder_of_an_earlier_version_is_taken_over(tmp_path):
    made = sink(tmp_path, NEVER)
    for job in ("same", "ended"):
        folder = tmp_path / job
        run(sink(folder, NEVER), 1, job, final=False)
        (state,) = folder.glob(".datastream/*/job-*/state.json")
        state.rename(state.parents[1] / "state.json")
        made = sink(folder, NEVER)
        committer_of(made, "same").commit(1, write_epoch(made, 1, lambda n: ["x"], job="same"), True)
        assert sorted(sum(visible(folder).values(), [])) == ["0.0", "0.1", "x", "x"]


def test_files_of_others_are_never_replaced(tmp_path):
    (tmp_path / "part-0-0").write_text("mine\n")
    made = sink(tmp_path)
    run(made, 1)
    other = sink(tmp_path)
    rows = [write(other, context(uid="other"), ["y"])]
    committer_of(other, uid="other").commit(0, rows, True)
    (mine,) = [name for name in by_name(tmp_path) if "-1-" in name]
    (tmp_path / mine.replace("-1-0", "-0-1")).write_text("mine\n")  # as it would be called next
    committer_of(made).commit(1, [write(made, context(1), ["z"])], True)
    assert {name: sorted(lines) for name, lines in visible(tmp_path).items()} == {
        "part-0-0": ["0.0", "mine", "y"], "part-1-0": ["0.1"], "part-0-1": ["mine"], "part-0-2": ["z"],
    }  # fmt: skip


def pieces(path):
    found = [os.path.join(root, name) for root, _, names in os.walk(path / ".datastream") for name in names]
    return [name for name in found if os.path.basename(name) not in ("state.json", "lock")]


def test_leftovers_are_removed_at_start_and_by_abort(tmp_path, monkeypatch):
    made = sink(tmp_path)
    run(made, 1, "older")
    write_epoch(made, 7, lambda n: ["lost"], job="older")
    write_epoch(made, 0, lambda n: ["lost"])
    rows = write_epoch(made, 1, lambda n: ["kept"])
    assert len(pieces(tmp_path)) == 6
    committer_of(made).commit(1, rows, True)
    assert len(pieces(tmp_path)) == 2  # the other job may run
    monkeypatch.setattr(committer_module, "LEFT_S", -1)
    committer_of(made).commit(1, rows, True)
    assert pieces(tmp_path) == []
    failed = write_epoch(made, 2, lambda n: ["lost"])
    committer_of(made).abort(2, failed)
    assert pieces(tmp_path) == []
    writer = begun(made, context(3))
    writer.write(Batch(["lost"]))
    writer.abort()
    assert pieces(tmp_path) == []


def test_a_job_whose_checkpoint_is_older_than_the_output_is_refused(tmp_path):
    made = sink(tmp_path)
    run(made, 3, final=False)
    before = visible(tmp_path)
    with pytest.raises(CheckpointError, match="at epoch 1, but epoch 2 is committed to .*; restore both from the same"):
        committer_of(made).commit(1, write_epoch(made, 1, lambda n: ["again"]), False)
    assert visible(tmp_path) == before


@pytest.mark.parametrize("restarted", [False, True], ids=["while it runs", "at a restart"])
def test_a_part_file_is_not_made_of_damaged_pieces(tmp_path, restarted):
    made = sink(tmp_path, NEVER)
    committer = committer_of(made)
    for epoch in range(3):
        committer.commit(epoch, write_epoch(made, epoch, lambda n: ["a line"]), False)
    (piece,) = [name for name in pieces(tmp_path) if os.path.basename(name).startswith("1-0-")]
    with open(piece, "rb+") as file:
        whole = file.read()
        file.truncate(3)
    last = committer_of(made) if restarted else committer
    rows = write_epoch(made, 3, lambda n: ["a line"])
    with pytest.raises(CheckpointError, match=f"{piece} is damaged: it has 3 bytes instead of 7, which held 1 record"):
        last.commit(3, rows, True)
    assert visible(tmp_path) == {}
    with open(piece, "wb") as file:
        file.write(whole)
    committer_of(made).commit(3, rows, True)
    assert visible(tmp_path) == {"part-0-0": ["a line"] * 4, "part-1-0": ["a line"] * 4}


@pytest.mark.parametrize("restarted", [False, True], ids=["while it runs", "at a restart"])
def test_a_piece_with_another_byte_is_found(tmp_path, restarted):
    made = sink(tmp_path, NEVER)
    committer = committer_of(made)
    for epoch in range(3):
        committer.commit(epoch, write_epoch(made, epoch, lambda n: ["a line"]), False)
    (piece,) = [name for name in pieces(tmp_path) if os.path.basename(name).startswith("1-0-")]
    with open(piece, "rb+") as file:
        file.write(b"b")
    last = committer_of(made) if restarted else committer
    rows = write_epoch(made, 3, lambda n: ["a line"])
    with pytest.raises(CheckpointError, match=f"{piece} is damaged: its checksum is"):
        last.commit(3, rows, True)
    assert visible(tmp_path) == {}
    with open(piece, "rb+") as file:
        file.write(b"a")
    committer_of(made).commit(3, rows, True)
    assert visible(tmp_path) == {"part-0-0": ["a line"] * 4, "part-1-0": ["a line"] * 4}


def test_pieces_of_earlier_versions_have_no_checksums(tmp_path):
    made = sink(tmp_path, NEVER)
    run(made, 1, final=False)
    (state,) = tmp_path.glob(".datastream/*/job-*/state.json")
    data = json.loads(state.read_text())
    for piece in data["pending"][0]["pieces"] + data["pending"][1]["pieces"]:
        del piece["checksum"]
    del data["checksum"]  # of the state itself, which the earliest had not either
    state.write_text(json.dumps(data))
    committer_of(made).commit(1, write_epoch(made, 1, lambda n: ["x"]), True)
    assert visible(tmp_path) == {"part-0-0": ["0.0", "x"], "part-1-0": ["0.1", "x"]}


def test_a_lost_state_is_an_error_where_records_are_visible(tmp_path):
    made = sink(tmp_path, EACH_EPOCH)
    run(made, 2, final=False)
    there = visible(tmp_path)
    (state,) = tmp_path.glob(".datastream/*/job-*/state.json")
    state.unlink()
    with pytest.raises(CheckpointError, match="state.json is damaged: it is missing"):
        committer_of(made).commit(1, write_epoch(made, 1, lambda n: ["again"]), True)
    assert visible(tmp_path) == there


def test_a_lost_state_is_an_error_where_records_wait(tmp_path):
    made = sink(tmp_path, NEVER)
    run(made, 2, final=False)
    (state,) = tmp_path.glob(".datastream/*/job-*/state.json")
    state.unlink()
    with pytest.raises(CheckpointError, match="state.json is damaged: it is missing, but records wait"):
        committer_of(made).commit(2, write_epoch(made, 2, lambda n: ["x"]), True)
    assert len(pieces(tmp_path)) == 6


def test_any_bit_of_the_state_that_is_flipped_is_found(tmp_path):
    made = sink(tmp_path, NEVER)
    run(made, 1, final=False)
    (state,) = tmp_path.glob(".datastream/*/job-*/state.json")
    whole = state.read_bytes()
    rows = write_epoch(made, 1, lambda n: ["x"])
    for bit in range(0, len(whole) * 8, 3):
        spoiled = bytearray(whole)
        spoiled[bit // 8] ^= 1 << bit % 8
        state.write_bytes(spoiled)
        with pytest.raises(CheckpointError, match="state.json is damaged"):
            committer_of(made).commit(1, rows, True)
    state.write_bytes(whole)
    committer_of(made).commit(1, rows, True)
    assert visible(tmp_path) == {"part-0-0": ["0.0", "x"], "part-1-0": ["0.1", "x"]}


def test_validate_wants_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    sink(tmp_path / "new" / "deep").validate()
    with pytest.raises(ValidationError, match="is a file"):
        sink(tmp_path / "file" / "below").validate()
    with pytest.raises(ValidationError, match="web server"):
        sink("https://host/x").validate()


def test_builder_says_what_it_cannot_do(tmp_path):
    builder = FileSink.for_row_format(str(tmp_path), Encoder.simple_string_encoder())
    assert builder.with_bucket_check_interval(1_000).disable_compact() is builder
    with pytest.raises(ValidationError, match="positive"):
        builder.with_bucket_check_interval(0)
    with pytest.raises(ValidationError, match="part_size"):
        RollingPolicy.default_rolling_policy(part_size=0)
    with pytest.raises(UnsupportedOperation, match="part_size"):
        builder.enable_compact(None, None)


def test_text_files_hold_typed_records_in_flinks_form(run, tmp_path):
    env = run.environment(parallelism=1)
    pair, row = Types.TUPLE([Types.STRING(), Types.DOUBLE()]), Types.ROW([Types.STRING(), Types.BOOLEAN()])
    for name, records, kind in (
        ("pairs", [("a", 1e10)], pair),
        ("rows", [Row("x", True), Row(None, False)], row),
        ("any", [("a", 1)], None),
    ):
        sink = FileSink.for_row_format(str(tmp_path / name), Encoder.simple_string_encoder())
        sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
        env.from_collection(records, type_info=kind).sink_to(sink)
    env.execute()
    found = {folder.name: folder_lines(folder) for folder in tmp_path.iterdir()}
    assert found == {"pairs": ["(a,1.0E10)"], "rows": ["+I[x, true]", "+I[null, false]"], "any": ["('a', 1)"]}


def folder_lines(folder):
    return [line for part in sorted(folder.glob("part-*")) for line in part.read_text().splitlines()]
