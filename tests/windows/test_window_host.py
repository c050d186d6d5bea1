"""Windows by the hosts that run them: what the reference does not show. See docs/contributing/semantics.md."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.functions import (
    AggregateFunction,
    OutputTag,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    ReduceFunction,
)
from datastream.runtime.hosts.windows.counting import CountWindowHost
from datastream.runtime.hosts.windows.general import WindowHost
from datastream.runtime.hosts.windows.panes import PaneWindowHost, joins
from datastream.runtime.hosts.windows.sessions import SessionWindowHost
from datastream.runtime.hosts.windows.time_windows import TimeWindowHost
from datastream.state import ListStateDescriptor, ReducingStateDescriptor, ValueStateDescriptor
from datastream.time import MAX_WATERMARK
from datastream.types import Types, TypeSerializer
from datastream.windows import (
    ContinuousProcessingTimeTrigger,
    CountEvictor,
    CountSlidingWindowAssigner,
    CountTrigger,
    CountTumblingWindowAssigner,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    Window,
    WindowAssigner,
)
from datastream.windows.operation import WindowOperation
from tests.support.windows.hosting import CUT, END, LATE, Driven, Show, Whole, WholeWithoutMerge, concatenate, run
from tests.support.windows.reference import Clock, Record, Watermark

TEN = TumblingEventTimeWindows(10, 0)
SLIDING = SlidingEventTimeWindows(10, 5, 0)
SESSION = EventTimeSessionWindows(10)
COUNT = CountTumblingWindowAssigner(2)
BOTH = pytest.mark.parametrize("general", [False, True], ids=["fast", "general"])
KINDS = pytest.mark.parametrize("assigner", [TEN, SLIDING, SESSION], ids=["tumbling", "sliding", "session"])


def records(*timestamps: int, key: str = "k") -> list[Record]:
    """Records that hold their timestamp in a tuple, so that reduce functions can add them up to longer ones."""
    return [Record(key, (t,), t) for t in timestamps]


def values(results) -> list:
    return [value for value, _ in results]


class Look(ProcessWindowFunction):
    """Counts the firings of the window and of the key, and tells the time."""

    def __init__(self, window_state=True):
        self.window_state = window_state

    def process(self, key, context, elements):
        counts = []
        for store in ([context.window_state()] if self.window_state else []) + [context.global_state()]:
            state = store.get_state(ValueStateDescriptor("count", Types.LONG()))
            state.update((state.value() or 0) + 1)
            counts.append(state.value())
        yield key, context.window(), context.current_watermark(), tuple(elements), counts

    def clear(self, context):
        if self.window_state:
            context.window_state().get_state(ValueStateDescriptor("count", Types.LONG())).clear()
        gone = context.global_state().get_list_state(ListStateDescriptor("gone", Types.STRING()))
        gone.add(str(context.window()))


@pytest.mark.parametrize(
    "operation, host",
    [
        (WindowOperation(TEN), TimeWindowHost),
        (WindowOperation(TEN, EventTimeTrigger()), TimeWindowHost),
        (WindowOperation(TEN, PurgingTrigger(EventTimeTrigger())), WindowHost),
        (WindowOperation(TEN, evictor=CountEvictor(1)), WindowHost),
        (WindowOperation(TumblingProcessingTimeWindows(10, 0), EventTimeTrigger()), WindowHost),
        (WindowOperation(SLIDING), TimeWindowHost),
        (WindowOperation(SLIDING, incremental=concatenate), PaneWindowHost),
        (WindowOperation(SLIDING, incremental=Whole()), PaneWindowHost),
        (WindowOperation(SLIDING, incremental=WholeWithoutMerge()), TimeWindowHost),
        (WindowOperation(SlidingEventTimeWindows(5, 5, 0), incremental=concatenate), TimeWindowHost),
        (WindowOperation(SESSION), SessionWindowHost),
        (WindowOperation(COUNT), CountWindowHost),
        (WindowOperation(COUNT, CountTrigger(1)), WindowHost),
        (WindowOperation(CountSlidingWindowAssigner(4, 2)), WindowHost),
        (WindowOperation(GlobalWindows(), EventTimeTrigger()), WindowHost),
    ],
)
def test_the_usual_windows_have_fast_hosts(operation, host):
    assert type(Driven(operation).host) is host


class MergesNothing(WholeWithoutMerge):
    def merge(self, acc_a, acc_b):
        pass


class MergesSometimes(WholeWithoutMerge):
    def merge(self, acc_a, acc_b):
        if acc_a is None:
            return acc_b
        return None


def test_a_merge_that_never_returns_anything_is_no_merge():
    assert joins(concatenate)
    assert joins(Whole())
    assert joins(MergesSometimes())
    assert not joins(WholeWithoutMerge())
    assert not joins(MergesNothing())


# -- what windows keep and give --------------------------------------------------------------------------


@KINDS
@BOTH
@pytest.mark.parametrize("function", [concatenate, Whole()], ids=["reduce", "aggregate"])
def test_with_an_incremental_function_a_window_keeps_one_value_and_the_window_function_sees_it(
    assigner, general, function
):
    driven = Driven(WindowOperation(assigner, incremental=function, function=Show()), general)
    assert driven.feed(records(1, 2, 3)) == []
    driven.cut()
    assert b"Record" not in b"".join(driven.store.entries.values())
    out = values(driven.feed([END]))
    assert {given for _, _, given in out} == {((1, 2, 3),)}


class Least(ReduceFunction):
    def reduce(self, value1, value2):
        return min(value1, value2)


@BOTH
def test_a_window_of_a_reduce_function_does_not_grow(general):
    driven = Driven(WindowOperation(TEN, incremental=Least()), general)
    driven.feed(records(1))
    driven.cut()
    before = sum(map(len, driven.store.entries.values()))
    driven.feed(records(*[1, 2, 3] * 100))
    driven.cut()
    assert sum(map(len, driven.store.entries.values())) == before
    assert driven.feed([END]) == [((1,), 9)]


@BOTH
def test_the_result_of_an_aggregate_function_is_asked_for_when_the_window_fires(general):
    asked = []

    class Counting(AggregateFunction):
        def create_accumulator(self):
            return 0

        def add(self, value, accumulator):
            return accumulator + 1

        def get_result(self, accumulator):
            asked.append(accumulator)
            return accumulator

        def merge(self, acc_a, acc_b):
            return acc_a + acc_b

    driven = Driven(WindowOperation(TEN, incremental=Counting()), general)
    driven.feed(records(1, 2, 3))
    assert asked == []
    assert driven.feed([END]) == [(3, 9)]
    assert asked == [3]


@BOTH
def test_merge_makes_one_accumulator_of_the_sessions(general):
    operation = WindowOperation(SESSION, incremental=Whole(), function=Show())
    ((_, window, elements),) = values(run(operation, [*records(20, 0, 10), END], general))
    assert (window.start, window.end, elements) == (0, 30, ((0, 20, 10),))


@pytest.mark.parametrize("function", [None, concatenate, Whole()], ids=["none", "reduce", "aggregate"])
def test_with_an_evictor_a_window_keeps_its_records(function):
    operation = WindowOperation(TEN, evictor=CountEvictor(2), incremental=function, function=Show())
    driven = Driven(operation)
    driven.feed([*records(1, 2, 3), CUT])
    ((_, _, elements),) = values(driven.feed([END]))
    assert elements == (((2, 3),) if function else ((2,), (3,)))


class EvictsAll(CountEvictor):
    def evict_before(self, elements, size, window, evictor_context):
        elements.clear()


@pytest.mark.parametrize("function, seen", [(None, ()), (concatenate, ()), (Whole(), ((),))])
def test_a_window_function_is_called_for_a_window_that_an_evictor_emptied(function, seen):
    operation = WindowOperation(TEN, evictor=EvictsAll(1), incremental=function, function=Show())
    ((_, _, elements),) = values(run(operation, [*records(1), END]))
    assert elements == seen


@KINDS
@BOTH
def test_what_a_function_does_to_its_elements_stays_with_it(assigner, general):
    class Takes(ProcessWindowFunction):
        def process(self, key, context, elements):
            yield len(elements)
            elements.clear()

    operation = WindowOperation(assigner, function=Takes(), allowed_lateness=50)
    out = run(operation, [*records(5, 6), Watermark(20), *records(5), END], general)
    assert values(out)[-1] == 3


@BOTH
def test_results_share_nothing_with_what_is_kept(general):
    operation = WindowOperation(TEN, incremental=Gather(), allowed_lateness=50)
    driven = Driven(operation, general)
    (first,) = values(driven.feed([*records(1), Watermark(9)]))
    first.append("changed")
    assert values(driven.feed([*records(2)])) == [[1, 2]]


class Gather(Whole):
    def get_result(self, accumulator):
        return accumulator


def test_sliding_windows_that_share_panes_do_not_share_results():
    driven = Driven(WindowOperation(SLIDING, incremental=Gather()))
    driven.feed(records(1, 6))
    for expected in [[1], [1, 6], [6]]:
        (given,) = values(driven.feed([Watermark(driven.watermark + 5 if expected != [1] else 4)]))
        assert given == expected
        given.clear()


def test_a_reduce_function_that_changes_what_it_is_given_changes_no_other_window():
    def extend(one, other):
        one += other
        return one

    stream = [Record("k", [t], t) for t in (7, 1, 2, 8)]  # out of order: each window has a value of its own
    out = run(WindowOperation(SLIDING, incremental=extend, function=Show()), [*stream, END])
    assert [(w.start, e) for _, w, e in values(out)] == [(-5, ([1, 2],)), (0, ([7, 1, 2, 8],)), (5, ([7, 8],))]


# -- late records ----------------------------------------------------------------------------------------


@KINDS
@BOTH
def test_a_late_record_goes_to_the_side_output_with_its_own_timestamp(assigner, general):
    operation = WindowOperation(assigner, incremental=concatenate, late_tag=LATE)
    driven = Driven(operation, general)
    assert driven.feed([Watermark(100), *records(3), *records(7, key="other")]) == [
        ((LATE, (3,)), 3),
        ((LATE, (7,)), 7),
    ]
    assert driven.host.late_dropped == 0


@KINDS
@BOTH
def test_without_a_side_output_late_records_are_dropped_and_counted_by_epoch(assigner, general):
    driven = Driven(WindowOperation(assigner, incremental=concatenate), general)
    assert driven.feed([Watermark(100), *records(3, 4, 200)]) == []
    assert driven.host.late_dropped == 2
    driven.cut()
    assert driven.host.late_dropped == 0


@KINDS
@BOTH
def test_a_key_of_late_records_only_leaves_nothing_behind(assigner, general):
    driven = Driven(WindowOperation(assigner, incremental=concatenate), general)
    driven.feed([Watermark(100), *records(3), CUT])
    assert all(b"k" not in data for data in driven.store.entries.values())


@KINDS
@BOTH
@pytest.mark.parametrize("missing", [None, -(1 << 63)])
def test_a_record_without_timestamp_says_what_to_do(assigner, general, missing):
    for function in None, concatenate:
        driven = Driven(WindowOperation(assigner, incremental=function), general)
        with pytest.raises(ValidationError, match="assign_timestamps_and_watermarks"):
            driven.feed([*records(3), Record("k", "the record", missing)])
        assert driven.host.record == "the record"
        assert driven.host.what == type(assigner).__name__


# -- state and time --------------------------------------------------------------------------------------


@BOTH
def test_window_state_belongs_to_the_window_and_global_state_to_the_key(general):
    driven = Driven(WindowOperation(TEN, function=Look(), allowed_lateness=5), general)
    out = driven.feed(
        [*records(3), Watermark(9), CUT, *records(4), CUT, *records(15), *records(5, key="b"), Watermark(19)]
    )
    assert [(key, w.start, watermark, counts) for key, w, watermark, _, counts in values(out)] == [
        ("k", 0, 9, [1, 1]),
        ("k", 0, 9, [2, 2]),
        ("b", 0, 9, [1, 1]),
        ("k", 10, 19, [1, 3]),
    ]


@BOTH
def test_clear_is_called_when_a_window_goes(general):
    driven = Driven(WindowOperation(TEN, function=Look(), allowed_lateness=5), general)
    driven.feed([*records(3), Watermark(13), CUT])
    assert b"TimeWindow(start=0, end=10)" not in b"".join(driven.store.entries.values())
    driven.feed([Watermark(14), CUT])
    assert b"TimeWindow(start=0, end=10)" in b"".join(driven.store.entries.values())


@BOTH
def test_window_state_of_sessions_is_refused_and_global_state_is_not(general):
    with pytest.raises(UnsupportedOperation, match="global_state"):
        run(WindowOperation(SESSION, function=Look()), [*records(1), END], general)
    out = run(WindowOperation(SESSION, function=Look(window_state=False)), [*records(1, 30), END], general)
    assert [counts for *_, counts in values(out)] == [[1], [2]]


def test_functions_without_keys_are_called_without_the_key():
    class All(ProcessAllWindowFunction):
        def process(self, context, elements):
            yield context.window().start, tuple(elements)

    operation = WindowOperation(TEN, function=All(), keyed=False)
    assert run(operation, [*records(1), END]) == [((0, ((1,),)), 9)]


def test_a_large_list_in_window_state_survives():
    class Remembers(ProcessWindowFunction):
        def process(self, key, context, elements):
            state = context.window_state().get_list_state(ListStateDescriptor("all", Types.LONG()))
            state.add_all(range(2000))
            yield len(list(state.get()))

    operation = WindowOperation(TEN, function=Remembers(), allowed_lateness=10**6)
    assert values(run(operation, [*records(1), Watermark(9), CUT, *records(2), CUT, *records(2)])) == [2000, 4000, 6000]


@BOTH
def test_processing_time_windows_fire_at_a_tick(general):
    driven = Driven(WindowOperation(TumblingProcessingTimeWindows(10, 0), incremental=concatenate), general)
    assert driven.feed([Clock(3), *records(1, 2)]) == []
    driven.cut()
    assert driven.next_timer == 9
    assert driven.feed([Clock(8)]) == []
    assert driven.feed([Clock(9)]) == [((1, 2), 9)]


@BOTH
@pytest.mark.parametrize("assigner", [TumblingProcessingTimeWindows(10, 0), ProcessingTimeSessionWindows(10)])
@pytest.mark.parametrize("batch", [False, True])
def test_processing_time_windows_fire_at_the_end_in_batch_mode_only(assigner, general, batch):
    driven = Driven(WindowOperation(assigner, incremental=concatenate), general, batch)
    driven.feed([Clock(0), *records(1, 2), CUT])
    assert values(driven.end()) == [(1, 2)] * batch


def test_a_trigger_that_goes_on_and_on_ends_in_batch_mode():
    trigger = ContinuousProcessingTimeTrigger(10)
    driven = Driven(WindowOperation(GlobalWindows(), trigger, incremental=concatenate), batch=True)
    driven.feed([Clock(0), *records(1, 2)])
    assert values(driven.end()) == [(1, 2)]


# -- triggers and assigners of one's own -----------------------------------------------------------------


class Bucket(Window):
    """A window that is not of the project."""

    def __init__(self, name):
        self.name = name

    def max_timestamp(self):
        return MAX_WATERMARK

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)


class BucketSerializer(TypeSerializer):
    def serialize(self, element, stream):
        stream.write(element.name.encode())

    def deserialize(self, stream):
        return Bucket(stream.read().decode())


class Buckets(WindowAssigner):
    def assign_windows(self, element, timestamp, context):
        return [Bucket("even" if element[0] % 2 == 0 else "odd")]

    def get_default_trigger(self, env):
        return CountTrigger(2)

    def get_window_serializer(self):
        return BucketSerializer()

    def is_event_time(self):
        return False


def test_windows_of_ones_own_are_kept_as_their_serializer_writes_them():
    stream = [*records(1), CUT, *records(2), CUT, *records(3), CUT, *records(4)]
    out = values(run(WindowOperation(Buckets(), function=Show()), stream))
    assert [(window.name, elements) for _, window, elements in out] == [("odd", ((1,), (3,))), ("even", ((2,), (4,)))]


class Sums(Trigger):
    """Fires when the records of a window add up to ten; its state is named as one of the function's."""

    total = ReducingStateDescriptor("count", lambda a, b: a + b, Types.LONG())

    def on_element(self, element, timestamp, window, ctx):
        state = ctx.get_partitioned_state(self.total)
        state.add(element[0])
        return TriggerResult.FIRE if state.get() >= 10 else TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_merge(self, window, ctx):
        ctx.merge_partitioned_state(self.total)

    def can_merge(self):
        return True

    def clear(self, window, ctx):
        ctx.get_partitioned_state(self.total).clear()


def test_the_state_of_a_trigger_is_apart_from_the_functions():
    out = run(WindowOperation(TEN, Sums(), function=Look()), [*records(1, 2), CUT, *records(8, 9)])
    assert [counts for *_, counts in values(out)] == [[1, 1], [2, 2]]


def test_the_state_of_a_trigger_is_merged_with_the_windows():
    driven = Driven(WindowOperation(SESSION, Sums(), function=Show()))
    assert driven.feed([*records(0), *records(4, key="b"), CUT]) == []
    ((_, window, elements),) = values(driven.feed([*records(9), CUT, *records(2)]))
    assert (window.start, window.end, elements) == (0, 19, ((0,), (9,), (2,)))


def test_a_timer_that_several_windows_share_fires_all_of_them():
    class AtTen(NeverTrigger):
        def on_element(self, element, timestamp, window, ctx):
            ctx.register_event_time_timer(10)
            return TriggerResult.CONTINUE

        def on_event_time(self, time, window, ctx):
            return TriggerResult.FIRE if time == 10 else TriggerResult.CONTINUE

    operation = WindowOperation(SlidingEventTimeWindows(20, 5, 0), AtTen(), function=Show())
    out = values(run(operation, [*records(7), CUT, Watermark(10)]))
    assert sorted(window.start for _, window, _ in out) == [-5, 0, 5]


# -- errors ----------------------------------------------------------------------------------------------


class Fails(Whole):
    def __init__(self, where):
        self.where = where

    def fail(self, where):
        if where == self.where:
            raise RuntimeError(where)

    def add(self, value, accumulator):
        self.fail("add")
        return super().add(value, accumulator)

    def get_result(self, accumulator):
        self.fail("get_result")
        return super().get_result(accumulator)

    def merge(self, acc_a, acc_b):
        self.fail("merge")
        return super().merge(acc_a, acc_b)


class FailsLater(ProcessWindowFunction):
    def __init__(self, where):
        self.where = where

    def process(self, key, context, elements):
        yield 1
        if self.where == "process":
            raise RuntimeError

    def clear(self, context):
        raise RuntimeError


@KINDS
@BOTH
@pytest.mark.parametrize("where", ["add", "get_result", "merge"])
def test_an_aggregate_function_that_raises_is_named(assigner, general, where):
    if where == "merge" and (assigner is TEN or (general and assigner is SLIDING)):
        return
    driven = Driven(WindowOperation(assigner, incremental=Fails(where)), general)
    with pytest.raises(RuntimeError):
        driven.feed([*records(0, 20, 7, 12, 40, 46), END])
    assert driven.host.what == f"Fails.{where}"
    assert driven.host.record == {"add": (0,), "get_result": "k"}.get(where, driven.host.record)


@pytest.mark.parametrize("assigner", [TEN, SLIDING, SESSION, COUNT])
@BOTH
def test_a_window_function_that_raises_is_named(assigner, general):
    for where in "process", "clear":
        if where == "clear" and assigner is COUNT:
            continue
        driven = Driven(WindowOperation(assigner, incremental=concatenate, function=FailsLater(where)), general)
        with pytest.raises(RuntimeError):
            driven.feed([*records(0, 20, 21), END])
        assert driven.host.what == f"FailsLater.{where}"


@KINDS
@BOTH
def test_a_reduce_function_that_raises_is_named(assigner, general):
    driven = Driven(WindowOperation(assigner, incremental=lambda a, b: a + None), general)
    with pytest.raises(TypeError):
        driven.feed(records(1, 2))
    assert driven.host.what.endswith("<lambda>")
    assert driven.host.record == (2,)


def test_a_trigger_an_evictor_or_an_assigner_that_raises_is_named():
    class BadTrigger(NeverTrigger):
        def on_element(self, element, timestamp, window, ctx):
            raise RuntimeError

    class BadEvictor(CountEvictor):
        def evict_after(self, elements, size, window, evictor_context):
            raise RuntimeError

    class BadAssigner(GlobalWindows):
        def assign_windows(self, element, timestamp, context):
            raise RuntimeError

    for operation, what in [
        (WindowOperation(TEN, BadTrigger()), "BadTrigger.on_element"),
        (WindowOperation(TEN, evictor=BadEvictor(1)), "BadEvictor.evict_after"),
        (WindowOperation(BadAssigner()), "BadAssigner"),
    ]:
        driven = Driven(operation)
        with pytest.raises(RuntimeError):
            driven.feed([*records(1), END])
        assert driven.host.what.endswith(what)


@pytest.mark.parametrize("later", [TumblingEventTimeWindows(20, 0), SLIDING, SESSION, COUNT, GlobalWindows()])
def test_state_of_other_windows_is_refused(later):
    driven = Driven(WindowOperation(TEN, incremental=concatenate))
    driven.feed([*records(1), CUT])
    driven.operation = replace(driven.operation, assigner=later)
    driven.start()
    with pytest.raises(ValidationError, match="new uid"):
        driven.feed(records(2))


# -- the operation ---------------------------------------------------------------------------------------


def test_an_operation_opens_and_closes_its_functions_and_is_pickled():
    opened = []

    class Opens(Show):
        def open(self, runtime_context):
            opened.append(runtime_context)

        def close(self):
            opened.append("closed")

    operation = WindowOperation(TEN, incremental=concatenate, function=Opens())
    operation.open("context")
    operation.close()
    assert opened == ["context", "closed"]
    plain = WindowOperation(TEN, late_tag=OutputTag("late"), incremental=concatenate)
    plain.open("context")
    copy = pickle.loads(pickle.dumps(plain))
    assert copy == plain
    assert (plain.runtime_context, copy.runtime_context) == ("context", None)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"assigner": 10}, "window needs a WindowAssigner.*got 10"),
        ({"trigger": 10}, "trigger needs a Trigger"),
        ({"evictor": 10}, "evictor needs a Evictor"),
        ({"allowed_lateness": -1}, "from 0 up: got -1"),
        ({"allowed_lateness": 1.5}, "from 0 up: got 1.5"),
        ({"assigner": SESSION, "trigger": PurgingTrigger(NeverTrigger())}, "merges windows"),
    ],
)
def test_parts_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(ValidationError, match=message):
        WindowOperation(**{"assigner": TEN} | arguments)


def test_a_trigger_that_cannot_merge_is_refused_with_windows_that_do():
    class Stubborn(NeverTrigger):
        def can_merge(self):
            return False

    with pytest.raises(ValidationError, match="merges windows"):
        WindowOperation(SESSION, Stubborn())


def test_an_assigner_without_a_serializer_is_refused():
    class Bare(Buckets):
        def get_window_serializer(self):
            return None

    with pytest.raises(ValidationError, match="get_window_serializer"):
        WindowOperation(Bare())


@BOTH
@KINDS
@pytest.mark.parametrize("reopening", [(3,), (3, 4), (12, 3)], ids=str)
def test_a_window_that_has_fired_fires_again_for_a_record_behind_a_savepoint(
    assigner: WindowAssigner, general: bool, reopening: tuple[int, ...]
) -> None:
    """From a savepoint there is no watermark, so a record may come in time that would have been late."""
    operation = WindowOperation(assigner, incremental=Whole(), function=Show(), allowed_lateness=15)
    driven = Driven(operation, general)
    driven.feed([*records(1, 2), Watermark(14)])
    driven.restore()
    # An epoch with other records and a watermark that does not pass the window yet.
    out = driven.feed([*records(*reopening[:-1]), Watermark(2), CUT, *records(reopening[-1]), Watermark(60)])
    shown = {time for (_, _, elements), _ in out for time in elements[0]}
    assert shown >= {1, 2, *reopening}


@BOTH
@KINDS
def test_a_window_that_has_fired_does_not_fire_again_by_a_savepoint_alone(
    assigner: WindowAssigner, general: bool
) -> None:
    operation = WindowOperation(assigner, incremental=Whole(), function=Show(), allowed_lateness=15)
    driven = Driven(operation, general)
    driven.feed([*records(1, 2), Watermark(14)])
    driven.restore()
    out = driven.feed([*records(31), Watermark(28)])
    assert [value for value, _ in out] == []
