"""PageRank: each vertex passes on to its neighbours what its rank has gained, until that is too little to matter.

Ranks begin to flow when all edges are known: a timer at the end of event time starts them. Each result is a vertex's
rank so far, so the last one counts. Ranks add up to 1 where every vertex has an edge out.

datastream run examples/loops/pagerank.py
datastream run examples/loops/pagerank.py --edges graph.txt --vertices 10000 --output /tmp/ranks
"""

import argparse

from edges import edges
from output import write
from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import KeyedProcessFunction, OutputTag, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor

DAMPING = 0.85
END_OF_TIME = 2**62

#: To which vertex; its new neighbour, or -1; the rank that it gains.
MESSAGE = Types.TUPLE([Types.LONG(), Types.LONG(), Types.DOUBLE()])
RANKS = OutputTag("ranks", Types.TUPLE([Types.LONG(), Types.DOUBLE()]))


class Vertex(KeyedProcessFunction):
    """Gives messages to neighbours, and the vertex's rank as a side output."""

    def __init__(self, first, least):
        self.first, self.least = first, least

    def open(self, runtime_context):
        self.rank = runtime_context.get_state(ValueStateDescriptor("rank", Types.DOUBLE()))
        self.held = runtime_context.get_state(ValueStateDescriptor("held", Types.DOUBLE()))
        self.neighbours = runtime_context.get_list_state(ListStateDescriptor("neighbours", Types.LONG()))

    def process_element(self, message, ctx):
        vertex, neighbour, gained = message
        if gained == 0.0:
            if neighbour >= 0:
                self.neighbours.add(neighbour)
            ctx.timer_service().register_event_time_timer(END_OF_TIME)
            return
        held = (self.held.value() or 0.0) + gained
        if held < self.least:
            self.held.update(held)
        else:
            self.held.update(0.0)
            yield from self.gain(vertex, held)

    def on_timer(self, timestamp, ctx):
        yield from self.gain(ctx.get_current_key(), self.first)

    def gain(self, vertex, gained):
        rank = (self.rank.value() or 0.0) + gained
        self.rank.update(rank)
        yield RANKS, (vertex, rank)
        neighbours = list(self.neighbours.get())
        for neighbour in neighbours:
            yield neighbour, -1, DAMPING * gained / len(neighbours)


def both_ends(edge):
    yield edge[0], edge[1], 0.0
    yield edge[1], -1, 0.0


def pagerank(path, output, vertices, error):
    env = StreamExecutionEnvironment.get_execution_environment()
    messages = edges(env, path, vertices).flat_map(both_ends, output_type=MESSAGE)
    timed = messages.assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps())
    loop = timed.iterate()
    vertex = Vertex((1 - DAMPING) / vertices, error / vertices)
    passed_on = loop.key_by(lambda message: message[0], key_type=Types.LONG()).process(vertex, output_type=MESSAGE)
    loop.close_with(passed_on)
    ranks = passed_on.get_side_output(RANKS)
    write(ranks.map(lambda found: f"{found[0]} {found[1]!r}", output_type=Types.STRING()), output)
    env.execute("pagerank")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", help="A file with a line 'u v' for each edge.  [default: a small random graph]")
    parser.add_argument("--vertices", type=int, default=200, help="How many there are.")
    parser.add_argument(
        "--error", type=float, default=1e-3, help="Rank to pass on at least, as a part of the mean rank."
    )
    parser.add_argument("--output", help="A folder for the results.  [default: the terminal]")
    given = parser.parse_args()
    pagerank(given.edges, given.output, given.vertices, given.error)
