"""Entries of state name their kind and version: others are refused with the reason."""

from __future__ import annotations

import pickle
from contextlib import suppress

import pytest

from datastream.errors import CheckpointError
from datastream.runtime.state_format import decode, encode
from datastream.runtime.state_format.records import (
    ALL,
    CHUNK,
    CONTENTS,
    CONTENTS_HEAD,
    FIRST_FORMAT,
    FORMAT,
    MARK,
    VALUES,
    WATERMARKS,
    Record,
)
from datastream.state import ValueStateDescriptor
from tests.support.keyed_harness import ANY, Keyed


def test_kinds_have_letters_of_their_own():
    assert len({record.letter for record in ALL}) == len(ALL)
    assert all(record.header[:1] == MARK and len(record.header) == 3 for record in ALL)


@pytest.mark.parametrize("record", ALL, ids=lambda record: record.name)
def test_what_is_written_is_read(record):
    content = {"key": [1, None, ("a", 2.5)]} if record is not WATERMARKS else ({}, {"uid": 5})
    assert decode(record, encode(record, content)) == content


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (MARK + b"c\x07" + pickle.dumps({}), "page of contents .* is of version 7, .* up to version 3: .* a later one"),
        (MARK + b"c\x02" + pickle.dumps({}), "page of contents .* is of version 2, which no published version"),
        (pickle.dumps({"key": {"v": 1}}), "is damaged: a page of contents begins with"),
        (MARK + b"?\x03" + pickle.dumps({}), "a record of kind '.', version 3, where a page of contents should be"),
        (encode(CHUNK, []), "a chunk of a collection where a page of contents should be"),
        (b"no entry", "is damaged: a page of contents begins with b'no '"),
        (encode(CONTENTS, {"a": {"b": "c"}})[:-4], "is damaged: a page of contents cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(data, message):
    with pytest.raises(CheckpointError, match=message):
        decode(CONTENTS, data)


def test_entries_of_earlier_versions_are_read():
    record = Record("record", "v", 5, {3: lambda content: [*content, None], 4: lambda content: content[::-1]})
    assert [decode(record, MARK + b"v" + bytes([version]) + pickle.dumps([1, 2])) for version in (3, 4, 5)] == [
        [1, 2, None],
        [2, 1],
        [1, 2],
    ]
    with pytest.raises(CheckpointError, match="cannot be read: TypeError"):
        decode(record, MARK + b"v\x03" + pickle.dumps(1))


def test_versions_of_records_are_formats_that_are_read():
    for record in ALL:
        assert FIRST_FORMAT <= record.version <= FORMAT
        assert all(FIRST_FORMAT <= version < record.version for version in record.earlier)


def test_a_class_that_has_gone_is_named(monkeypatch):
    class Own:
        pass

    Own.__qualname__ = "Own"
    monkeypatch.setitem(globals(), "Own", Own)
    data = encode(VALUES, {"key": Own()})
    monkeypatch.delitem(globals(), "Own")
    with pytest.raises(CheckpointError, match="'Own'.*put the class back where it was"):
        decode(VALUES, data)


def test_a_type_of_a_later_version_is_named():
    later = b"\x80\x05\x8c\x17datastream.stored_types\x8c\x0blater_thing\x93."
    with pytest.raises(CheckpointError, match="'later_thing'.*a later version"):
        decode(VALUES, VALUES.header + later)


def test_a_state_of_a_later_version_stops_the_job():
    keyed = Keyed(groups=1)
    value = keyed.states.get_state(ValueStateDescriptor("value", ANY))
    keyed.at("key")
    value.update(1)
    keyed.next_epoch()
    (head,) = [key for key, data in keyed.store.entries.items() if data[:3] == CONTENTS_HEAD.header]
    data = keyed.store.entries[head]
    keyed.store.entries[head] = data[:2] + b"\x04" + data[3:]
    with pytest.raises(CheckpointError, match="head of pages of contents .* is of version 4"):
        keyed.at("key")
    assert keyed.store.entries[head][2:3] == b"\x04"


def test_whatever_byte_is_damaged_nothing_but_a_checkpoint_error_is_raised():
    content = {f"k{i}": (i, [1, 2.5, "äöü"], {"a": i}) for i in range(5)}
    whole = encode(CONTENTS, content)
    damaged = [whole[:i] for i in range(len(whole))]
    slow = set(pickle.LONG_BINPUT)  # of a huge number: refused, after Python has allocated memory for a minute
    for i in range(len(whole)):
        others = {0, 0x80, 0xFF, whole[i] ^ 1, whole[i] ^ 16} - slow
        damaged += [whole[:i] + bytes([byte]) + whole[i + 1 :] for byte in others]
    for data in damaged:
        with suppress(CheckpointError):
            decode(CONTENTS, data)
