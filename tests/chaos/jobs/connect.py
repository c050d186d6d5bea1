"""Two streams: pairs found by a function of both, and rules that are broadcast."""

from ends import END, Ends
from pyflink.common import Types
from pyflink.datastream import KeyedBroadcastProcessFunction, KeyedCoProcessFunction
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor

RULES = 40
RULE_STATE = MapStateDescriptor("rules", Types.LONG(), Types.STRING())
WAITING = ListStateDescriptor("waiting", Types.PICKLED_BYTE_ARRAY())


class Pairs(KeyedCoProcessFunction):
    """Gives a number when both streams have had it; at the end how many did not come twice."""

    def open(self, runtime_context):
        self.seen = runtime_context.get_map_state(MapStateDescriptor("seen", Types.LONG(), Types.LONG()))

    def _seen(self, value, ctx):
        ctx.timer_service().register_event_time_timer(END)
        if self.seen.contains(value[0]):
            self.seen.remove(value[0])
            yield ctx.get_current_key(), value[0]
        else:
            self.seen.put(value[0], value[3])

    def process_element1(self, value, ctx):
        yield from self._seen(value, ctx)

    def process_element2(self, value, ctx):
        yield from self._seen(value, ctx)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), "alone", sorted(self.seen.keys())


class Ruled(KeyedBroadcastProcessFunction):
    """Gives each number with its rule, which may come behind it."""

    def open(self, runtime_context):
        self.waiting = runtime_context.get_list_state(WAITING)
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        rule = ctx.get_broadcast_state(RULE_STATE).get(value[0] % RULES)
        if rule is None:
            self.waiting.add(value[0])
        else:
            self.count.update((self.count.value() or 0) + 1)
            yield value[0], rule, self.count.value()

    def process_broadcast_element(self, value, ctx):
        rules = ctx.get_broadcast_state(RULE_STATE)
        known = rules.get(value)
        rules.put(value, known or f"rule {value}")
        ready = []

        def release(key, state):
            waiting = list(state.get())
            ready.extend(number for number in waiting if number % RULES == value)
            state.update([number for number in waiting if number % RULES != value])

        if known is None:
            ctx.apply_to_keyed_state(WAITING, release)
        yield from ((number, f"rule {value}") for number in ready)


ends = Ends()
first, second = ends.records("first"), ends.records("second")
first = first.filter(lambda record: record[0] % 7)
second = second.filter(lambda record: record[0] % 4 == 0)
pairs = first.connect(second).key_by(lambda record: record[2], lambda record: record[2])
ends.write(pairs.process(Pairs()).uid("pairs"), "pairs")
rules = ends.env.from_sequence(0, RULES - 1).uid("rules").broadcast(RULE_STATE)
ruled = second.key_by(lambda record: record[2]).connect(rules).process(Ruled()).uid("ruled")
# Which number of a key waited for its rule hangs on where epochs were cut: the count is not written.
ends.write(ruled.map(lambda found: found[:2]), "ruled")
ends.env.execute("chaos: connect")
