"""Windows themselves: bounds, equality, merging, bytes."""

from __future__ import annotations

import copy
import pickle
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError
from datastream.windows import (
    CountWindow,
    CountWindowSerializer,
    GlobalWindow,
    GlobalWindowSerializer,
    TimeWindow,
    TimeWindowSerializer,
)
from tests.support.windows.reference_contexts import Merges

LONG_MAX = 2**63 - 1
times = st.integers(-(10**6), 10**6)
windows = st.builds(lambda start, length: TimeWindow(start, start + length), st.integers(-50, 50), st.integers(1, 20))


def merged(*spans: TimeWindow) -> list[tuple[list[TimeWindow], TimeWindow]]:
    merges = Merges()
    TimeWindow.merge_windows(spans, merges)
    return merges.found


def test_the_end_of_a_time_window_is_not_in_it():
    assert TimeWindow(0, 1000).max_timestamp() == 999


def test_windows_that_touch_intersect():
    assert TimeWindow(0, 10).intersects(TimeWindow(10, 20))
    assert TimeWindow(10, 20).intersects(TimeWindow(0, 10))
    assert not TimeWindow(0, 10).intersects(TimeWindow(11, 20))


def test_cover_holds_both():
    assert TimeWindow(5, 10).cover(TimeWindow(-3, 7)) == TimeWindow(-3, 10)


def test_equal_windows_are_one_key_of_a_dict_and_never_equal_to_a_tuple():
    assert {TimeWindow(1, 2), TimeWindow(1, 2)} == {TimeWindow(1, 2)}
    assert TimeWindow(1, 2) != (1, 2)
    assert TimeWindow(1, 2) < TimeWindow(1, 3) < TimeWindow(2, 0)
    assert repr(TimeWindow(1, 2)) == "TimeWindow(start=1, end=2)"


def test_count_and_global_windows_have_no_end():
    assert CountWindow(3).max_timestamp() == GlobalWindow.get().max_timestamp() == LONG_MAX
    assert CountWindow(3) == CountWindow(3) != CountWindow(4)
    assert GlobalWindow() == GlobalWindow.get()


@pytest.mark.parametrize("window", [TimeWindow(-5, 7), CountWindow(3), GlobalWindow.get()])
def test_windows_can_be_copied_and_pickled(window):
    assert pickle.loads(pickle.dumps(window)) == copy.deepcopy(window) == window


@pytest.mark.parametrize(
    ("timestamp", "offset", "size", "start"),
    [
        (0, 0, 10, 0),
        (9, 0, 10, 0),
        (10, 0, 10, 10),
        (-1, 0, 10, -10),
        (-10, 0, 10, -10),
        (-11, 0, 10, -20),
        (2, 3, 10, -7),
        (3, 3, 10, 3),
        (6, -3, 10, -3),
        (7, -3, 10, 7),
        (-4, -3, 10, -13),
    ],
)
def test_window_start_with_offset(timestamp, offset, size, start):
    assert TimeWindow.get_window_start_with_offset(timestamp, offset, size) == start


@given(times, times, st.integers(1, 10**5))
def test_a_start_is_the_last_multiple_moved_by_the_offset(timestamp, offset, size):
    start = TimeWindow.get_window_start_with_offset(timestamp, offset, size)
    assert (start - offset) % size == 0
    assert start <= timestamp < start + size


def test_merging_reports_only_groups_of_two_or_more_in_order():
    far, late, a, b, c = (TimeWindow(*s) for s in [(100, 110), (50, 60), (0, 10), (5, 15), (15, 20)])
    tail = TimeWindow(60, 61)
    assert merged(far, tail, c, late, b, a) == [([a, b, c], TimeWindow(0, 20)), ([late, tail], TimeWindow(50, 61))]


def test_equal_windows_are_not_a_merge():
    assert merged(TimeWindow(0, 10), TimeWindow(0, 10)) == []


@given(st.lists(windows, max_size=12))
def test_merging_joins_exactly_what_a_chain_of_intersections_connects(spans):
    group = {span: {span} for span in spans}
    for one in spans:
        for other in spans:
            if one.intersects(other) and group[one] is not group[other]:
                group[one] |= group[other]
                for member in group[other]:
                    group[member] = group[one]
    expected = {
        (frozenset(g), TimeWindow(min(w.start for w in g), max(w.end for w in g)))
        for g in map(frozenset, group.values())
        if len(g) > 1
    }
    found = merged(*spans)
    assert {(frozenset(members), covering) for members, covering in found} == expected
    assert [covering for _, covering in found] == sorted(covering for _, covering in found)
    assert all(members == sorted(members) for members, _ in found)


@pytest.mark.parametrize(
    ("serializer", "first", "second"),
    [
        (TimeWindowSerializer(), TimeWindow(-(2**63), 2**63 - 1), TimeWindow(-1, 0)),
        (CountWindowSerializer(), CountWindow(2**62), CountWindow(0)),
        (GlobalWindowSerializer(), GlobalWindow.get(), GlobalWindow.get()),
    ],
)
def test_serializers_write_windows_one_after_the_other(serializer, first, second):
    stream = BytesIO()
    serializer.serialize(first, stream)
    serializer.serialize(second, stream)
    stream.seek(0)
    assert serializer.deserialize(stream) == first
    assert serializer.deserialize(stream) == second
    with pytest.raises(FormatError, match="the stream ends"):
        serializer.deserialize(stream)
