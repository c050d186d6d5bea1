"""Rows of one field of each type as JsonRowSerializationSchema of Flink 2.3 writes them, from `written_by_flink.json`.

There None stands for values that PyFlink cannot bring to Java.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from datastream.time import Instant
from datastream.types import Row, Types
from tests.formats.values_of_types import cases

RECORDED = json.loads(Path(__file__).with_name("written_by_flink.json").read_text())
CASES = cases(Types, Row, Instant)
#: Written without the Z that Flink puts behind local times, and with six digits or none.
WITHOUT_ZONE = {"SQL_TIME", "SQL_TIMESTAMP"}
#: PyFlink makes .099 of .999 before 1970.
LOST = Instant(-1, 999_000_000)


@pytest.mark.parametrize("name", CASES)
def test_json(name: str) -> None:
    kind, values = CASES[name]
    row_type = Types.ROW_NAMED(["v"], [kind])
    rows = [Row(v=value) for value in values]
    messages = JsonRowSerializationSchema(row_type).serialize_block(rows)
    for value, message, flink in zip(values, messages, RECORDED[name], strict=True):
        if name in WITHOUT_ZONE or value == LOST or flink is None:
            assert json.loads(message).keys() == {"v"}
        else:
            assert message.decode() == flink
    read = JsonRowDeserializationSchema(row_type).deserialize_block(messages)
    assert JsonRowSerializationSchema(row_type).serialize_block(read) == messages
