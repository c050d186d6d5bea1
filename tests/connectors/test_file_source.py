"""Which files a FileSource reads, in which order, and what a replay sees."""

import json
import os
import pickle

import pytest

from datastream.connectors.files import FileEnumeratorProvider, FileSource, FileSplitAssignerProvider, StreamFormat
from datastream.connectors.files import enumerator as enumerator_module
from datastream.errors import JobError, ValidationError
from datastream.time import Duration
from tests.support.drive import drive, driven, epochs, read

TEXT = StreamFormat.text_line_format()


def of(*paths):
    return FileSource.for_record_stream_format(TEXT, *map(str, paths))


def put(path, text, mtime=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if mtime is not None:
        os.utime(path, (mtime, mtime))


@pytest.fixture
def watch(monkeypatch):
    monkeypatch.setattr(enumerator_module.FileEnumerator, "_look_again", lambda self: True)
    return lambda path: of(path).monitor_continuously(Duration.of_millis(1)).build()


def test_folders_are_read_deeply_without_hidden_files(tmp_path):
    for name in ["b", "a", "sub/c", ".hidden", "_tmp", ".git/x", "_dir/y", "sub/.z"]:
        put(tmp_path / name, name)
    assert drive(of(tmp_path).build()) == ["a", "b", "sub/c"]


def test_globs_files_and_uris_each_file_once(tmp_path):
    for name in ["a.txt", "b.txt", "c.log", "_d.txt", "sub/e.txt"]:
        put(tmp_path / name, name)
    assert drive(of(tmp_path / "*.txt").build()) == ["a.txt", "b.txt"]
    assert drive(of(tmp_path / "**" / "*.txt").build()) == ["a.txt", "b.txt", "sub/e.txt"]
    assert drive(of(f"file://{tmp_path}/c.log", tmp_path / "c.log").build()) == ["c.log"]
    assert drive(of(tmp_path / "_d.txt").build()) == ["_d.txt"]
    assert drive(of(tmp_path / "s*").build()) == ["sub/e.txt"]


def test_a_name_with_pattern_characters_is_a_name_first(tmp_path):
    put(tmp_path / "a[1].txt", "x")
    assert drive(of(tmp_path / "a[1].txt").build()) == ["x"]


@pytest.mark.parametrize("name", ["missing", "*.missing"])
def test_validate_names_an_unknown_path(tmp_path, name):
    with pytest.raises(ValidationError, match="file or folder") as caught:
        of(tmp_path / name).build().validate()
    assert str(tmp_path / name) in str(caught.value)


def test_no_paths_and_a_mix_with_remote_ones_are_refused():
    with pytest.raises(ValidationError, match="at least one path"):
        of().build()
    with pytest.raises(ValidationError, match="partly remote"):
        of("s3://bucket/x", "/x").build()


def test_an_empty_folder_ends(tmp_path):
    assert drive(of(tmp_path).build()) == []


def test_budget_cuts_epochs_and_parallelism_cuts_splits(tmp_path, monkeypatch):
    monkeypatch.setattr(enumerator_module, "MIN_SPLIT", 1)
    put(tmp_path / "f", f"{'x' * 99}\n" * 100)
    source = driven(of(tmp_path).build())
    offsets = epochs(source, budget=25)
    assert len(offsets) == 5
    assert len(source.splits(offsets[0], offsets[1], 4)) == 4
    assert len(read(source, offsets[0], offsets[1])) == 25
    whole = of(tmp_path).set_file_enumerator(FileEnumeratorProvider.default_non_splittable_file_enumerator())
    whole.set_split_assigner(FileSplitAssignerProvider.locality_aware_split_assigner())
    assert len(epochs(whole.process_static_file_set().build(), budget=25)) == 2


@pytest.mark.parametrize(
    ("line", "lines"),
    [(b"x" * 399, 25), (b"x" * 49, 50), (b"x" * 4999, 5), (b"x" * 398 + b"\0", 7), (b"x" * 99_999, 1)],
)
def test_a_budget_counts_lines_as_long_as_the_first_ones_are(tmp_path, line, lines):
    """From 100 bytes, which other files' records are taken to have, to 1,000."""
    (tmp_path / "f").write_bytes((line + b"\n") * 60)
    source = driven(of(tmp_path).build())
    start, end = epochs(source, budget=25)[:2]
    assert len(read(source, start, end)) == lines


def test_small_files_share_a_split(tmp_path):
    for i in range(50):
        put(tmp_path / f"{i:02}", f"{i}\n")
    source = driven(of(tmp_path).build())
    start, end = epochs(source)
    assert len(source.splits(start, end, 8)) == 1


def test_a_replay_of_the_first_epoch_does_not_see_a_new_file(tmp_path):
    put(tmp_path / "b", "b")
    start, end = epochs(of(tmp_path).build())
    put(tmp_path / "a", "a")
    again = driven(of(tmp_path).build())
    assert read(again, again.initial_offset(), end) == ["b"]
    assert again.finished(end)


@pytest.mark.parametrize("change", [os.remove, lambda path: os.truncate(path, 1)])
def test_a_file_that_vanishes_or_shrinks_is_named(tmp_path, change):
    put(tmp_path / "f", "text")
    source = driven(of(tmp_path).build())
    start, end = epochs(source)
    change(tmp_path / "f")
    with pytest.raises(JobError, match=str(tmp_path / "f")):
        read(source, start, end)


def test_a_watched_folder_gives_each_file_once_in_order_of_change(tmp_path, watch):
    put(tmp_path / "z", "first", 100)
    put(tmp_path / "a", "second", 200)
    assert not watch(tmp_path).bounded
    source = driven(watch(tmp_path))
    one = source.latest_offset(source.initial_offset(), 1_000)
    assert read(source, source.initial_offset(), one) == ["first", "second"]
    assert source.latest_offset(one, 1_000) == one
    assert not source.finished(one)
    put(tmp_path / "b", "fourth", 50)  # older than what was read, but new here
    put(tmp_path / "y", "third", 40)
    restarted = driven(watch(tmp_path))
    two = restarted.latest_offset(json.loads(json.dumps(one)), 1_000)
    assert read(restarted, one, two) == ["third", "fourth"]
    assert read(restarted, restarted.initial_offset(), one) == ["first", "second"]


def test_a_watched_folder_may_be_empty_at_first(tmp_path, watch):
    source = driven(watch(tmp_path))
    start = source.initial_offset()
    assert source.latest_offset(start, 10) == start
    put(tmp_path / "empty", "")
    assert source.latest_offset(start, 10) == start
    put(tmp_path / "a", "x")
    assert read(source, start, source.latest_offset(start, 10)) == ["x"]


def test_a_watched_folder_is_listed_at_most_every_interval(tmp_path, monkeypatch):
    now = 0.0
    monkeypatch.setattr(enumerator_module.time, "monotonic", lambda: now)
    source = driven(of(tmp_path).monitor_continuously(Duration.of_seconds(10)).build())
    put(tmp_path / "a", "x")
    first = source.latest_offset(source.initial_offset(), 10)
    put(tmp_path / "b", "y")
    assert source.latest_offset(first, 10) == first
    now = 10.0
    assert read(source, first, source.latest_offset(first, 10)) == ["y"]


def test_the_interval_must_be_positive(tmp_path):
    with pytest.raises(ValidationError, match="interval"):
        of(tmp_path).monitor_continuously(Duration.of_millis(0))


def test_a_relative_path_means_the_drivers_folder(tmp_path, monkeypatch):
    put(tmp_path / "f", "x")
    monkeypatch.chdir(tmp_path)
    source = driven(of("f").build())
    start, end = epochs(source)
    split = pickle.loads(pickle.dumps(source.splits(start, end, 1)))
    monkeypatch.chdir("/")
    assert list(source.read(split[0])) == [["x"]]
