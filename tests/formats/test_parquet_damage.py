"""Bytes that are no Parquet file, and those that were one: FormatError with the path, or rows."""

from __future__ import annotations

import contextlib
import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyarrow import parquet

from datastream.config import Configuration
from datastream.connectors.files.parquet_format import ParquetBulkWriters, ParquetColumnarRowInputFormat
from datastream.errors import FormatError
from datastream.types import Row, Types
from tests.support.draws import draws
from tests.support.formats.columnar_files import read, survive, written
from tests.support.formats.strategies import damaged

ROW = Types.ROW_NAMED(
    ["id", "name", "tags", "extra", "inner"],
    [
        Types.LONG(),
        Types.STRING(),
        Types.LIST(Types.STRING()),
        Types.MAP(Types.STRING(), Types.DOUBLE()),
        Types.ROW_NAMED(["at", "amount"], [Types.SQL_TIMESTAMP(), Types.BIG_DEC()]),
    ],
)
FORMAT = ParquetColumnarRowInputFormat(ROW)


def rows(count):
    return [Row(id=i, name=f"n{i % 5}", tags=["a", None], extra={"x": i / 2}, inner=None) for i in range(count)]


def made(**options):
    config = Configuration.from_dict({"parquet.block.size": "3000", **options})
    return written(ParquetBulkWriters.for_row_type(ROW, config), rows(100))


WHOLE = made()
UNCHECKED = made(**{"parquet.page.write-checksum.enabled": "false", "parquet.compression": "UNCOMPRESSED"})


def attempt(path, data):
    path.write_bytes(data)
    try:
        read(FORMAT, path)
    except FormatError as error:
        assert str(path) in str(error)
        raise


@draws(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | damaged(WHOLE) | damaged(WHOLE[-2000:]))
def test_damage_is_a_format_error_or_no_harm(tmp_path, data):
    with contextlib.suppress(FormatError):
        attempt(tmp_path / "f.parquet", data)


@pytest.mark.long
@pytest.mark.parametrize("whole", [WHOLE, UNCHECKED], ids=["checked", "unchecked"])
def test_the_worst_damage_ends_no_process(tmp_path, whole):
    def spoil(seed):
        dice = random.Random(seed)
        data = bytearray(whole)
        for _ in range(dice.randrange(1, 6)):
            # The closer to the end, where the footer is, the likelier.
            place = len(data) - 1 - int(dice.random() ** 2 * len(data))
            data[place] = dice.randrange(256)
        attempt(tmp_path / "f.parquet", bytes(data))

    assert set(survive(range(1000), spoil)) <= {"read", "FormatError"}


def test_changed_data_is_found_by_its_checksum(tmp_path):
    path = tmp_path / "f.parquet"
    place = WHOLE.index(b"n3") + 1
    path.write_bytes(WHOLE[:place] + b"4" + WHOLE[place + 1 :])
    with pytest.raises(FormatError, match="checksum"):
        read(FORMAT, path)


@pytest.mark.parametrize(
    "data",
    [b"", b"PAR1", b"PAR1PAR1", b"PARE" * 3, b"\0" * 100, WHOLE[:-1], WHOLE[4:]],
    ids=lambda data: repr(data[:12]),
)
def test_what_is_no_parquet_file_is_named(tmp_path, data):
    with pytest.raises(FormatError, match="no Parquet file"):
        attempt(tmp_path / "f.parquet", data)


def test_a_string_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "f.parquet"
    bad = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    parquet.write_table(pa.table({"id": [1], "name": bad}), path)
    with pytest.raises(FormatError, match=str(path)):
        read(FORMAT, path)
