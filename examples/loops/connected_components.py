"""Connected components of a growing graph: each vertex tells its neighbours the least vertex that it can reach.

A vertex keeps its neighbours and its component in state. What it tells them goes round the loop. Each change of a
vertex's component is a result, so the last one of a vertex counts.

datastream run examples/loops/connected_components.py
datastream run examples/loops/connected_components.py --edges graph.txt --output /tmp/components
"""

import argparse

from edges import edges
from output import write
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, OutputTag, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor

EDGE, COMPONENT = 0, 1

#: To which vertex; EDGE or COMPONENT; a neighbour, or a component.
MESSAGE = Types.TUPLE([Types.LONG(), Types.INT(), Types.LONG()])
CHANGES = OutputTag("changes", Types.TUPLE([Types.LONG(), Types.LONG()]))


class Vertex(KeyedProcessFunction):
    """Gives messages to neighbours, and changes of the vertex's component as a side output."""

    def open(self, runtime_context):
        self.component = runtime_context.get_state(ValueStateDescriptor("component", Types.LONG()))
        self.neighbours = runtime_context.get_list_state(ListStateDescriptor("neighbours", Types.LONG()))

    def process_element(self, message, ctx):
        vertex, kind, other = message
        known = self.component.value()
        if known is None:
            yield CHANGES, (vertex, vertex)
            known = vertex
            self.component.update(known)
        if kind == EDGE:
            self.neighbours.add(other)
            yield other, COMPONENT, known
        elif other < known:
            self.component.update(other)
            yield CHANGES, (vertex, other)
            for neighbour in self.neighbours.get():
                yield neighbour, COMPONENT, other


def both_ends(edge):
    yield edge[0], EDGE, edge[1]
    yield edge[1], EDGE, edge[0]


def connected_components(path, output):
    env = StreamExecutionEnvironment.get_execution_environment()
    loop = edges(env, path).flat_map(both_ends, output_type=MESSAGE).iterate()
    told = loop.key_by(lambda message: message[0], key_type=Types.LONG()).process(Vertex(), output_type=MESSAGE)
    loop.close_with(told)
    changes = told.get_side_output(CHANGES)
    write(changes.map(lambda change: f"{change[0]} {change[1]}", output_type=Types.STRING()), output)
    env.execute("connected components")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", help="A file with a line 'u v' for each edge.  [default: a small random graph]")
    parser.add_argument("--output", help="A folder for the results.  [default: the terminal]")
    given = parser.parse_args()
    connected_components(given.edges, given.output)
