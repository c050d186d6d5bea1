"""A running reduce, and a process function with states and timers of event time."""

from ends import Ends
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

BUCKET_MS = 5000


class Buckets(KeyedProcessFunction):
    """Sums values by spans of time; each is given by a timer at its end, with its number."""

    def open(self, runtime_context):
        self.sums = runtime_context.get_map_state(MapStateDescriptor("sums", Types.LONG(), Types.LONG()))
        self.given = runtime_context.get_state(ValueStateDescriptor("given", Types.LONG()))

    def process_element(self, value, ctx):
        bucket = value[1] // BUCKET_MS
        self.sums.put(bucket, (self.sums.get(bucket) or 0) + value[3])
        ctx.timer_service().register_event_time_timer((bucket + 1) * BUCKET_MS)

    def on_timer(self, timestamp, ctx):
        bucket = timestamp // BUCKET_MS - 1
        given = (self.given.value() or 0) + 1
        self.given.update(given)
        yield ctx.get_current_key(), bucket, self.sums.get(bucket), given
        self.sums.remove(bucket)


ends = Ends()
records = ends.records()
counts = records.map(lambda record: (record[2], 1)).key_by(lambda pair: pair[0])
ends.write(counts.reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts"), "counts")
ends.write(records.key_by(lambda record: record[2]).process(Buckets()).uid("buckets"), "buckets")
ends.env.execute("chaos: keyed")
