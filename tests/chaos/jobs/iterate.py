"""Two loops: one over an exchange, with state, and one inside a subtask."""

from ends import Ends, parse
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor

MOST_ROUNDS = 4


class Visits(KeyedProcessFunction):
    """Counts how often each number comes by."""

    def open(self, runtime_context):
        self.visits = runtime_context.get_map_state(MapStateDescriptor("visits", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        number, left = value
        visits = (self.visits.get(number) or 0) + 1
        self.visits.put(number, visits)
        yield number, left - 1, visits


def step(state):
    number, value, steps = state
    return number, value // 2 if value % 2 == 0 else 3 * value + 1, steps + 1


ends = Ends()
records = ends.lines().map(parse)
loop = records.map(lambda record: (record[0], record[0] % MOST_ROUNDS)).iterate()
visited = loop.key_by(lambda pair: pair[0] % 50).process(Visits()).uid("visits")
loop.close_with(visited.filter(lambda visit: visit[1] > 0).map(lambda visit: visit[:2])).uid("again")
ends.write(visited, "visits")
inside = records.map(lambda record: (record[0], record[3] + 1, 0)).iterate()
stepped = inside.map(step)
inside.close_with(stepped.filter(lambda state: state[1] != 1))
ends.write(stepped.filter(lambda state: state[1] == 1), "steps")
ends.env.execute("chaos: iterate")
