"""States so large that they are kept in chunks: a list and a map of thousands of entries a key."""

from ends import END, Ends
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor


class Hoard(KeyedProcessFunction):
    """Keeps all it gets, takes some of it away again, and gives what it has at the end."""

    def open(self, runtime_context):
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.LONG()))
        self.values = runtime_context.get_map_state(MapStateDescriptor("values", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        number = value[0]
        ctx.timer_service().register_event_time_timer(END)
        self.all.add(number)
        self.values.put(number, value[3])
        if number % 9 == 0:
            self.values.put(-number, number)

    def on_timer(self, timestamp, ctx):
        key, numbers = ctx.get_current_key(), list(self.all.get())
        yield key, len(numbers), sum(numbers), len(set(numbers))
        for number in sorted(numbers):
            yield key, number, self.values.get(number), self.values.get(-number)
        yield key, sum(1 for _ in self.values.items())


ends = Ends()
hoard = ends.records().key_by(lambda record: record[0] % 8).process(Hoard()).uid("hoard")
ends.write(hoard, "kept")
ends.env.execute("chaos: large")
