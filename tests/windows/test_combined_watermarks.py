"""What the watermarks of several inputs amount to."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, CombinedWatermark, InputWatermark, WatermarkValve


def combined(**watermarks: int) -> CombinedWatermark:
    whole = CombinedWatermark()
    for name, watermark in watermarks.items():
        whole.add(name).emit_watermark(watermark)
    whole.update()
    return whole


def test_the_lowest_input_counts():
    assert combined(a=5, b=3).watermark == 3


def test_an_input_without_a_watermark_holds_back_the_others():
    whole = combined(a=5)
    whole.add("b")
    assert not whole.update()
    assert CombinedWatermark().watermark == MIN_WATERMARK


def test_an_idle_input_does_not_count():
    whole = combined(a=5, b=3)
    whole.inputs["b"].mark_idle()
    assert whole.update()
    assert (whole.watermark, whole.idle) == (5, False)


def test_when_all_inputs_are_idle_so_is_the_whole_and_its_watermark_stays():
    whole = combined(a=5, b=3)
    whole.inputs["a"].mark_idle()
    whole.inputs["b"].mark_idle()
    assert not whole.update()
    assert (whole.watermark, whole.idle) == (3, True)


def test_an_input_that_wakes_up_behind_holds_but_never_pulls_back():
    whole = combined(a=5, b=3)
    whole.inputs["b"].mark_idle()
    whole.update()
    whole.inputs["b"].emit_watermark(4)
    whole.inputs["a"].emit_watermark(9)
    assert not whole.update()
    assert whole.watermark == 5
    whole.inputs["b"].emit_watermark(7)
    assert whole.update()
    assert whole.watermark == 7


def test_the_watermark_of_an_input_never_goes_back():
    one = InputWatermark()
    one.emit_watermark(5)
    one.emit_watermark(3)
    assert one.watermark == 5


def test_an_input_that_ends_lets_go_of_the_others():
    whole = combined(a=5, b=3)
    whole.remove("b")
    assert whole.update()
    assert whole.watermark == 5
    whole.remove("a")
    assert not whole.update()
    assert (whole.watermark, whole.idle) == (5, False)


def test_all_inputs_at_their_end():
    assert combined(a=MAX_WATERMARK, b=MAX_WATERMARK).watermark == MAX_WATERMARK


changes = st.lists(
    st.tuples(st.integers(0, 2), st.one_of(st.integers(-20, 20), st.sampled_from(["idle", "active"]))), max_size=30
)


@given(changes)
def test_combined_watermarks_never_go_back_and_never_pass_an_active_input_that_is_ahead(steps):
    whole = CombinedWatermark()
    inputs = [whole.add(n) for n in range(3)]
    for number, change in steps:
        before = whole.watermark
        if change == "idle":
            inputs[number].mark_idle()
        elif change == "active":
            inputs[number].mark_active()
        else:
            inputs[number].emit_watermark(change)
        went_up = whole.update()
        active = [i.watermark for i in inputs if not i.idle]
        assert whole.idle == (not active)
        assert whole.watermark == max([before, *([min(active)] if active else [])])
        assert went_up == (whole.watermark > before)


# Upstream subtasks


def valve(*watermarks: int) -> WatermarkValve:
    made = WatermarkValve(len(watermarks))
    for channel, watermark in enumerate(watermarks):
        made.advance(channel, watermark)
    return made


def test_a_valve_gives_the_lowest_channel():
    made = valve(5, 3)
    assert made.watermark == 3
    assert made.advance(1, 4)
    assert not made.advance(1, 2)
    assert made.watermark == 4


def test_an_idle_channel_lets_go_of_the_others_and_its_watermarks_are_ignored():
    made = valve(5, 3)
    assert made.mark_idle(1)
    assert made.watermark == 5
    assert not made.advance(1, 9)


def test_when_the_last_channel_becomes_idle_the_highest_watermark_counts():
    made = valve(5, 3)
    assert not made.mark_idle(0)
    assert made.mark_idle(1)
    assert (made.watermark, made.idle) == (5, True)


def test_a_last_channel_that_held_nothing_back_leaves_the_watermark():
    made = valve(10, 5, 7)
    made.mark_idle(1)
    made.mark_idle(0)
    made.mark_active(1)
    made.mark_idle(2)
    assert not made.mark_idle(1)
    assert (made.watermark, made.idle) == (7, True)


def test_a_channel_that_wakes_up_behind_does_not_hold_back_the_others_until_it_has_caught_up():
    made = valve(5, 3)
    made.mark_idle(1)
    made.mark_active(1)
    assert made.advance(0, 8)
    made.advance(1, 6)
    assert made.watermark == 8
    assert not made.advance(1, 8)
    assert not made.advance(0, 20)
    assert made.advance(1, 9)
    assert made.watermark == 9


def test_a_channel_that_wakes_up_wakes_the_whole():
    made = valve(5, 3)
    made.mark_idle(0)
    made.mark_idle(1)
    made.mark_active(0)
    assert not made.idle
    assert made.advance(0, 7)
    assert made.watermark == 7


def test_a_valve_has_no_negative_number_of_channels():
    with pytest.raises(ValidationError, match="cannot have -1 channels"):
        WatermarkValve(-1)


def test_a_channel_that_is_added_holds_back():
    made = WatermarkValve(0)
    assert made.add() == 0
    assert made.advance(0, 5)
    assert made.add() == 1
    assert not made.advance(0, 9)
    assert not made.advance(1, 4)
    assert made.advance(1, 7)
    assert made.watermark == 7


@example([(0, "idle"), (1, -1), (2, 0), (0, "active"), (2, "idle"), (1, "idle"), (2, "active"), (1, 0)])
@given(changes)
def test_a_valve_never_goes_back(steps):
    made = WatermarkValve(3)
    for number, change in steps:
        before = made.watermark
        said = made.channels[number]
        heard = type(change) is int and not said.idle and change > said.watermark
        if change == "active":
            made.mark_active(number)
            went_up = False
        else:
            went_up = made.mark_idle(number) if change == "idle" else made.advance(number, change)
        assert made.watermark >= before
        assert went_up == (made.watermark > before)
        assert made.idle == all(channel.idle for channel in made.channels)
        aligned = [channel.watermark for channel in made.channels if channel.aligned]
        if type(change) is int and went_up:
            assert made.watermark == min(aligned)
        assert not heard or not aligned or made.watermark >= min(aligned)


def test_channels_that_one_holds_back_are_not_kept_again_and_again():
    made = WatermarkValve(100)
    for watermark in range(1000):
        for channel in range(1, 100):
            assert not made.advance(channel, watermark)
    assert len(made._lowest) < 300
    assert made.advance(0, 2000)
    assert made.watermark == 999
