"""Any cut of a file gives the lines of the plain read, each once, in order."""

import bz2
import gzip
import lzma
import os
import re
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.connectors.files import FilePart, FileSource, StreamFormat
from datastream.connectors.files import enumerator as enumerator_module
from datastream.connectors.files.part_reading import line_chunks
from datastream.errors import FormatError
from datastream.formats import SimpleStringSchema
from tests.support.drive import drive

LINE = st.text(st.sampled_from("aé€𝄞 \x85\u2028,"), max_size=8)
BODY = st.builds(
    lambda lines, end, last: b"".join((line + e).encode() for line, e in zip(lines, end, strict=False)) + last,
    st.lists(LINE, max_size=12),
    st.lists(st.sampled_from(["\n", "\r\n"]), min_size=12, max_size=12),
    LINE.map(str.encode),
)


def plain(body: bytes) -> list[str]:
    lines = body.decode().replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


@pytest.fixture(scope="module")
def path():
    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, "file.txt")


@given(BODY, st.lists(st.integers(0, 120), max_size=6), st.integers(1, 20))
def test_ranges_give_each_line_once(path, body, cuts, chunk):
    with open(path, "wb") as file:
        file.write(body)
    size = len(body)
    bounds = [0, *sorted(cut for cut in cuts if cut < size), size]
    read = b"".join(
        data
        for start, end in zip(bounds, bounds[1:], strict=False)
        for data in line_chunks(FilePart(path, start, end, size), chunk)
    )
    assert read == body
    fmt = StreamFormat.text_line_format()
    parts = [FilePart(path, start, end, size) for start, end in zip(bounds, bounds[1:], strict=False)]
    assert [line for part in parts for block in fmt.read(part) for line in block] == plain(body)


@given(BODY, st.integers(1, 50), st.integers(1, 4))
def test_epochs_and_splits_give_each_line_once(path, body, budget, parallelism):
    with open(path, "wb") as file:
        file.write(body)
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), path).build()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumerator_module, "LINE_BYTES", 1)
        patch.setattr(enumerator_module, "MOST_LINE_BYTES", 1)
        patch.setattr(enumerator_module, "MIN_SPLIT", 1)
        patch.setattr(enumerator_module, "MAX_SPLIT", 7)
        assert drive(source, budget, parallelism) == plain(body)


def test_bytes_appended_after_planning_are_not_read(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"a\nb")
    part = FilePart(str(path), 0, 3, 3)
    path.write_bytes(b"a\nbc\nd\n")
    assert list(line_chunks(part)) == [b"a\nb"]


@pytest.mark.parametrize(("suffix", "opener"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)])
def test_compressed_text_is_read_whole(tmp_path, monkeypatch, suffix, opener):
    lines = [f"line {i}" for i in range(20_000)]
    with opener(tmp_path / f"f.txt{suffix}", "wt") as file:
        file.write("\n".join(lines))
    monkeypatch.setattr(enumerator_module, "LINE_BYTES", 1)
    monkeypatch.setattr(enumerator_module, "MOST_LINE_BYTES", 1)
    monkeypatch.setattr(enumerator_module, "MIN_SPLIT", 1)
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path)).build()
    assert drive(source, budget=10) == lines


@pytest.mark.long
@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"no such thing" * 9,
        lambda data: data[: len(data) // 2],
        lambda data: data[:-2],
        lambda data: data[:20] + bytes(200) + data[220:],
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        StreamFormat.text_line_format(),
        StreamFormat.csv(),
        StreamFormat.csv(multiline=True),
        StreamFormat.json_lines(),
        StreamFormat.lines(SimpleStringSchema()),
    ],
)
def test_damaged_compression_is_named(tmp_path, suffix, pack, spoil, form):
    path = tmp_path / f"f{suffix}"
    path.write_bytes(spoil(pack(b"".join(b"%d\n" % (i * i) for i in range(50_000)))))
    size = path.stat().st_size
    with pytest.raises(FormatError, match=f"the file {re.escape(str(path))} is damaged, or not compressed as"):
        list(form.read(FilePart(str(path), 0, size, size)))


def test_short_lines_come_in_bounded_blocks(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"1\n" * 50_000)
    blocks = list(StreamFormat.text_line_format().read(FilePart(str(path), 0, 100_000, 100_000)))
    assert sum(map(len, blocks)) == 50_000
    assert max(map(len, blocks)) <= 4096
