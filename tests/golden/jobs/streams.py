"""Two streams: co-process, interval join, broadcast state; running aggregates; inputs that are idle."""

from __future__ import annotations

import operator

from datastream import Types
from datastream.functions import (
    BroadcastProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    ProcessJoinFunction,
)
from datastream.state import ListStateDescriptor, MapStateDescriptor
from datastream.time import Duration, Time
from datastream.windows import TumblingEventTimeWindows

from .halted import COUNT, END, in_time, numbers
from .keyed import Member
from .windows import Event, Every, Everyone, Plus

KEYS = 6
RULES = 500
ANY = Types.PICKLED_BYTE_ARRAY()
RULE_STATE = MapStateDescriptor("rules", Types.LONG(), ANY)
WAITING = ListStateDescriptor("waiting", ANY)


class Both(KeyedCoProcessFunction):
    """Keeps the numbers of two streams, and gives at the end how many there are."""

    def open(self, runtime_context):
        self.first = runtime_context.get_list_state(ListStateDescriptor("first", ANY))
        self.second = runtime_context.get_map_state(MapStateDescriptor("second", ANY, ANY))

    def process_element1(self, value, ctx):
        self.first.add(value[0])
        ctx.timer_service().register_event_time_timer(END)

    def process_element2(self, value, ctx):
        self.second.put(value[0], True)
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        first, second = list(self.first.get()), list(self.second.keys())
        yield "both", ctx.get_current_key(), len(first), sum(first), len(second), sum(second)


class Near(ProcessJoinFunction):
    """The two numbers."""

    def process_element(self, left, right, ctx):
        yield "interval", left[1], left[0], right[0]


class Rule:
    """(number, a long text)."""

    def __call__(self, number):
        return number, f"rule {number} " * 30


class Ruled(KeyedBroadcastProcessFunction):
    """Gives each number with its rule, once that is known."""

    def open(self, runtime_context):
        self.waiting = runtime_context.get_list_state(WAITING)

    def process_element(self, value, ctx):
        number = value[0] * RULES // COUNT
        rule = ctx.get_broadcast_state(RULE_STATE).get(number)
        if rule is None:
            self.waiting.add((number, value[0]))
        else:
            yield "ruled", value[0], rule[:10]

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULE_STATE).put(*value)
        ready = []

        def release(key, state):
            waiting = list(state.get())
            ready.extend(number for rule, number in waiting if rule == value[0])
            state.update([one for one in waiting if one[0] != value[0]])

        ctx.apply_to_keyed_state(WAITING, release)
        return [("ruled", number, value[1][:10]) for number in ready]


class Known(BroadcastProcessFunction):
    """Keeps rules without keys; a rule stays as it was first."""

    def process_element(self, value, ctx):
        if value[0] == COUNT - 1:
            rules = ctx.get_broadcast_state(RULE_STATE)
            found = [rules.get(n) for n in range(20)]
            yield "known", [rule and rule[:8] for rule in found]

    def process_broadcast_element(self, value, ctx):
        if value[0] < 20:
            ctx.get_broadcast_state(RULE_STATE).put(*value)


class Last:
    """A running sum: only its last value is the same whatever came when."""

    def __init__(self, sizes):
        self.sizes = sizes

    def __call__(self, event):
        return event[2] == self.sizes


class Running:
    """(name, key, count)."""

    def __init__(self, name):
        self.name = name

    def __call__(self, event):
        return self.name, event[1], event[2]


class Crowded:
    """(number, one of many keys, 1)."""

    def __call__(self, number):
        return number, Member()(number), 1


class Quiet:
    """(number, key, 1) of a few small numbers."""

    def __call__(self, number):
        return number, number % KEYS, 1


class Again:
    """An event from what a join gave."""

    def __call__(self, joined):
        return joined[2], joined[1], 1


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails.
    """
    env.set_parallelism(2)
    env.set_max_parallelism(4)
    key = operator.itemgetter(1)
    source = numbers(env, limit)
    events = source.map(Event())
    some = events.filter(Every(7))
    rules = env.from_sequence(0, RULES - 1).uid("rules").map(Rule())
    idle = in_time().with_idleness(Duration.of_millis(1))
    quiet = env.from_collection([3, 5, 8, 13, 21]).uid("quiet").map(Quiet())
    quiet = quiet.assign_timestamps_and_watermarks(idle).uid("quiet times")
    near = some.key_by(key).interval_join(events.key_by(key))
    joined = near.between(Time.milliseconds(-300), Time.milliseconds(200)).process(Near()).uid("interval")
    again = joined.map(Again()).key_by(key).reduce(Plus()).uid("again")
    again = again.assign_timestamps_and_watermarks(in_time()).uid("again times")
    again = again.map(Running("again")).key_by(key).window(TumblingEventTimeWindows.of(Time.seconds(600)))
    results = [
        events.connect(some).key_by(key, key).process(Both()).uid("both"),
        joined,
        some.key_by(key).connect(rules.broadcast(RULE_STATE)).process(Ruled()).uid("ruled"),
        events.connect(rules.broadcast(RULE_STATE)).process(Known()).uid("known"),
        events.key_by(key).reduce(Plus()).uid("running").filter(Last(COUNT // KEYS)).map(Running("running")),
        source.map(Crowded()).key_by(key).reduce(Plus()).uid("crowd").filter(Last(4)).map(Running("crowd")),
        events.union(quiet).window_all(TumblingEventTimeWindows.of(Time.seconds(5))).apply(Everyone()).uid("quiet all"),
        again.reduce(Plus()).uid("again windows").map(Running("again")).filter(Last(-1)),
    ]
    return results[0].union(*results[1:])
