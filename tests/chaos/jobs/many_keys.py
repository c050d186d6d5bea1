"""So many keys that their state does not fit in the memory that the state store has, and is kept in runs.

The first lines give each key some bytes. The later ones take keys at random, most of which have long gone from memory:
they must keep what they got last. At the end a timer of each key gives what it has.
"""

from hashlib import shake_128

from ends import END, Ends
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor

#: The first lines give this many keys each.
FILLING, EACH = 4_000, 30
#: Each of the others takes so many of those keys.
TAKEN = 8
KEYS = FILLING * EACH

#: Of each key; they cannot be compressed.
BYTES = 300


def keys_of(record):
    """(key, value) for each key of a line."""
    number, _, _, value = record
    if number < FILLING:
        return [(number * EACH + i, value) for i in range(EACH)]
    taken = shake_128(b"%d" % number).digest(4 * TAKEN)
    return [(int.from_bytes(taken[i : i + 4]) % KEYS, value + i) for i in range(0, 4 * TAKEN, 4)]


def content_of(key, count, total):
    """What a key keeps, whichever of its records came first."""
    return shake_128(b"%d %d %d" % (key, count, total)).digest(BYTES)


class Visits(KeyedProcessFunction):
    """Counts the records of a key, and sums their values."""

    def open(self, runtime_context):
        visits = Types.TUPLE([Types.INT(), Types.LONG(), Types.PRIMITIVE_ARRAY(Types.BYTE())])
        self.visits = runtime_context.get_state(ValueStateDescriptor("visits", visits))

    def process_element(self, value, ctx):
        key, amount = value
        count, total = self.kept(key)
        if not count:
            ctx.timer_service().register_event_time_timer(END + key % 1000)
        else:
            yield key, count + 1
        count, total = count + 1, total + amount
        self.visits.update((count, total, content_of(key, count, total)))

    def on_timer(self, timestamp, ctx):
        key = ctx.get_current_key()
        yield "kept", key, timestamp, *self.kept(key)

    def kept(self, key):
        """Count and sum of a key."""
        count, total, content = self.visits.value() or (0, 0, b"")
        if content != (content_of(key, count, total) if count else b""):
            raise ValueError(f"key {key} has other bytes than those of {count} records whose sum is {total}")
        return count, total


ends = Ends()
ends.env.set_max_parallelism(8)
visits = ends.records().flat_map(keys_of).key_by(lambda pair: pair[0]).process(Visits()).uid("visits")
ends.write(visits, "visits")
ends.env.execute("chaos: many keys")
