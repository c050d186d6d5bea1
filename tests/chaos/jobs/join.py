"""Two streams: an interval join, and a join of windows."""

from ends import Ends
from pyflink.common import Time
from pyflink.datastream.functions import JoinFunction, ProcessJoinFunction
from pyflink.datastream.window import TumblingEventTimeWindows


class Near(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[2], left[0], right[0]


class Same(JoinFunction):
    def join(self, first, second):
        return first[2], first[0], second[0]


ends = Ends()
left = ends.records("left").filter(lambda record: record[0] % 3 == 0)
right = ends.records("right").filter(lambda record: record[0] % 5 == 0)
near = left.key_by(lambda record: record[2]).interval_join(right.key_by(lambda record: record[2]))
near = near.between(Time.milliseconds(-600), Time.milliseconds(400)).process(Near()).uid("interval")
ends.write(near, "interval")
same = left.join(right).where(lambda record: record[2]).equal_to(lambda record: record[2])
same = same.window(TumblingEventTimeWindows.of(Time.milliseconds(700))).apply(Same())
ends.write(same, "windows")
ends.env.execute("chaos: join")
