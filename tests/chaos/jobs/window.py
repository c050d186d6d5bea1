"""Tumbling windows and sessions of event time."""

from ends import Ends
from pyflink.common import Time
from pyflink.datastream import AggregateFunction, ProcessWindowFunction
from pyflink.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows


class Total(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value[3]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class WithWindow(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, context.window().end, next(iter(elements))


ends = Ends()
keyed = ends.records().key_by(lambda record: record[2])
tumbling = keyed.window(TumblingEventTimeWindows.of(Time.seconds(2)))
ends.write(tumbling.aggregate(Total(), WithWindow()).uid("tumbling"), "tumbling")
sessions = keyed.window(EventTimeSessionWindows.with_gap(Time.milliseconds(1500)))
ends.write(sessions.aggregate(Total(), WithWindow()).uid("sessions"), "sessions")
ends.env.execute("chaos: window")
