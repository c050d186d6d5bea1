"""FileSink whose files take the place of those that are there: at the end of the job, exactly once."""

import itertools
import uuid

import fsspec
import pytest
from test_file_sink import BASE, visible
from test_remote_sink import EPOCHS

from datastream.connectors.files import BucketAssigner, FileSink, Overwrite
from datastream.errors import CheckpointError
from datastream.formats import Encoder
from datastream.testing.connectors import check_sink
from tests.support.drive import committer_of, write_epoch

CASES = [Overwrite.ALL, Overwrite.BUCKETS]


class ByLetter(BucketAssigner):
    def get_bucket_id(self, element, processing_time):
        return element[0]


def sink(path, overwrite=Overwrite.ALL, assigner=BASE):
    builder = FileSink.for_row_format(str(path), Encoder.simple_string_encoder()).with_bucket_assigner(assigner)
    return builder.with_overwrite(overwrite).build()


def old(folder):
    for name in ("a/part-0-0", "a/deep/x", "b/part-0-0", "part-0-0", "_hidden"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"old {name}\n")


def lines(folder):
    return list(itertools.chain.from_iterable(visible(folder).values()))


def run(made, epochs, job="job", final=True, first=0):
    committer = committer_of(made, job)
    for epoch, records in enumerate(epochs, first):
        rows = write_epoch(made, epoch, lambda n, records=records: records[n], job=job)
        committer.commit(epoch, rows, final and epoch - first == len(epochs) - 1)


def test_the_old_files_are_there_until_the_end(tmp_path):
    old(tmp_path)
    before = visible(tmp_path)
    made = sink(tmp_path)
    run(made, EPOCHS[:-1], final=False)
    assert visible(tmp_path) == before
    run(made, EPOCHS[-1:], first=len(EPOCHS) - 1)
    assert sorted(lines(tmp_path)) == ["a", "b", "c", "d", "e", "f", "g", "old _hidden"]
    assert not (tmp_path / "a").exists()


def test_only_buckets_that_get_records_are_replaced(tmp_path):
    old(tmp_path)
    run(sink(tmp_path, Overwrite.BUCKETS, ByLetter()), [[["a1"], []], [["c1"], ["a2"]]])
    found = {}
    for name, rows in visible(tmp_path).items():
        found.setdefault(name.rpartition("/")[0], []).extend(rows)
    assert {bucket: sorted(rows) for bucket, rows in found.items()} == {
        "": ["old _hidden", "old part-0-0"],
        "a": ["a1", "a2"],
        "b": ["old b/part-0-0"],
        "c": ["c1"],
    }


def test_a_link_goes_and_what_it_leads_to_stays(tmp_path):
    outside = tmp_path / "outside"
    old(outside)
    before = lines(outside)
    made = tmp_path / "made"
    old(made)
    (made / "folder").symlink_to(outside)
    (made / "file").symlink_to(outside / "part-0-0")
    run(sink(made), EPOCHS)
    assert lines(outside) == before
    assert {path.name for path in made.iterdir() if path.is_symlink()} == set()
    assert sorted(lines(made)) == ["a", "b", "c", "d", "e", "f", "g", "old _hidden"]


@pytest.mark.parametrize("overwrite", CASES)
def test_a_bucket_that_is_a_link_is_replaced_where_it_leads_to(tmp_path, overwrite):
    elsewhere = tmp_path / "elsewhere"
    old(elsewhere)
    made = tmp_path / "made"
    made.mkdir()
    (made / "a").symlink_to(elsewhere)
    run(sink(made, overwrite, ByLetter()), [[["a1"], ["a2"]]])
    assert (made / "a").is_symlink()
    assert sorted(lines(elsewhere)) == ["a1", "a2", "old _hidden"]


def test_a_bucket_with_the_name_of_a_pattern(tmp_path):
    old(tmp_path)
    before = lines(tmp_path)
    run(sink(tmp_path, Overwrite.BUCKETS, ByLetter()), [[["*1"], ["?2"]]])
    assert sorted(lines(tmp_path)) == sorted([*before, "*1", "?2"])


@pytest.mark.parametrize("overwrite", CASES)
def test_without_records(tmp_path, overwrite):
    old(tmp_path)
    before = lines(tmp_path)
    run(sink(tmp_path, overwrite, ByLetter()), [[[], []]])
    assert lines(tmp_path) == (["old _hidden"] if overwrite is Overwrite.ALL else before)


def test_what_a_job_that_failed_has_written_is_dropped(tmp_path):
    made = sink(tmp_path)
    run(made, [[["lost"], ["lost"]]], job="one", final=False)
    run(made, [[["a"], ["b"]]], job="two")
    assert sorted(lines(tmp_path)) == ["a", "b"]
    left = {path.name for path in tmp_path.glob(".datastream/*/job-*/*")}
    assert left == {"state.json", "lock"}
    with pytest.raises(CheckpointError, match="another job that overwrites .* has dropped what this one had written"):
        run(made, [[["a"], ["b"]]], job="one", first=1)


def test_jobs_that_overwrite_at_the_same_time(tmp_path):
    made = sink(tmp_path)
    first = committer_of(made, "one")
    first.commit(0, write_epoch(made, 0, lambda n: ["first"], job="one"), False)
    run(made, [[["a"], ["b"]]], job="two")
    assert sorted(lines(tmp_path)) == ["a", "b"]
    first.commit(1, [], True)
    assert lines(tmp_path) == ["first", "first"]


def test_what_a_sink_that_appends_holds_back_is_kept(tmp_path):
    appending = FileSink.for_row_format(str(tmp_path), Encoder.simple_string_encoder()).with_bucket_assigner(BASE)
    run(appending.build(), [[["late"], []]], job="one", final=False)
    run(sink(tmp_path), [[["a"], []]], job="two")
    assert lines(tmp_path) == ["a"]
    run(appending.build(), [[[], []]], job="three")
    assert sorted(lines(tmp_path)) == ["a", "late"]


@pytest.mark.long
@pytest.mark.parametrize("overwrite", CASES)
def test_a_crash_at_any_call(tmp_path, overwrite):
    def make(folder):
        old(folder / "out")
        return sink(folder / "out", overwrite)

    def written(folder):
        return [line for line in lines(folder / "out") if line != "old _hidden"]

    assert check_sink(make, tmp_path, written, EPOCHS) > 20


@pytest.mark.long
def test_a_file_system_of_fsspec(tmp_path):
    memory = fsspec.filesystem("memory")
    world = f"/{uuid.uuid4().hex}"

    def make(folder):
        memory.pipe(f"{world}/{folder.name}/a/old", b"old\n")
        return sink(f"memory:/{world}/{folder.name}")

    def written(folder):
        kept = [path for path in memory.find(f"{world}/{folder.name}") if "/." not in path]
        return itertools.chain.from_iterable(memory.cat(path).decode().splitlines() for path in kept)

    assert check_sink(make, tmp_path, written, EPOCHS) > 20


@pytest.mark.long
def test_s3(s3, tmp_path):
    def make(folder):
        run(FileSink.for_row_format(s3.uri(folder.name), Encoder.simple_string_encoder()).build(), [[["old"], []]])
        return sink(s3.uri(folder.name))

    crashes = check_sink(make, tmp_path, lambda folder: s3.lines(f"{folder.name}/"), [[["a"]], [["b"]]])
    assert crashes > 20 and s3.uploads() == []


def test_s3_keeps_buckets_without_records(s3):
    run(sink(s3.uri("out"), Overwrite.ALL, ByLetter()), [[["a1"], ["b1"]]], job="one")
    run(sink(s3.uri("out"), Overwrite.BUCKETS, ByLetter()), [[["a2"], ["c2"]]], job="two")
    assert sorted(s3.lines("out/")) == ["a2", "b1", "c2"]
