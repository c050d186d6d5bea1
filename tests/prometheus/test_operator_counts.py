"""Records in and out of each operator, however operators are fused."""

import itertools

from datastream import Configuration, KeyedProcessFunction, OutputTag, ProcessFunction
from datastream.types import Types
from tests.prometheus.scrapes import by_operator

IN, OUT = "datastream_operator_records_in_total", "datastream_operator_records_out_total"
NUMBERS = range(1000)
TAG = OutputTag("odd", Types.LONG())
_names = itertools.count()


def counts(env):
    """Runs the job; what went in and out, by uid."""
    job = f"counts-{next(_names)}"
    env.execute(job)
    return by_operator(job, IN), by_operator(job, OUT)


def ignore(stream):
    stream.filter(lambda n: False).uid("end").print()


def test_one_for_one_and_filters_side_by_side(env):
    stream = env.from_collection(list(NUMBERS)).uid("numbers").map(lambda n: n).uid("map")
    ignore(stream.filter(lambda n: n % 2).uid("odd").filter(lambda n: n % 3).uid("third").map(lambda n: n).uid("last"))
    came, went = counts(env)
    odd, third = [n for n in NUMBERS if n % 2], [n for n in NUMBERS if n % 2 and n % 3]
    assert came["numbers"] == came["map"] == came["odd"] == 1000
    assert (came["third"], came["last"], came["end"]) == (len(odd), len(third), len(third))
    assert (went["odd"], went["third"], went["last"], went["end"]) == (len(odd), len(third), len(third), 0)


def test_flat_maps_and_branches(env):
    stream = env.from_collection(list(NUMBERS)).flat_map(lambda n: [n] * (n % 3)).uid("repeat")
    ignore(stream.flat_map(lambda n: [n, n]).uid("twice"))
    stream.filter(lambda n: n > 500).uid("large").map(lambda n: n).uid("map").print()
    came, went = counts(env)
    repeated = sum(n % 3 for n in NUMBERS)
    large = sum(n % 3 for n in NUMBERS if n > 500)
    assert (came["repeat"], went["repeat"]) == (1000, repeated)
    assert (came["twice"], went["twice"], came["end"], went.get("end", 0)) == (repeated, 2 * repeated, 2 * repeated, 0)
    assert (came["large"], went["large"], came["map"], went["map"]) == (repeated, large, large, large)


def test_unions_exchanges_and_sinks(env):
    one = env.from_collection(list(NUMBERS)).map(lambda n: n).uid("one")
    two = env.from_collection(list(NUMBERS)).filter(lambda n: n < 10).uid("two")
    both = one.union(two).map(lambda n: n).uid("both").rebalance().map(lambda n: n).uid("behind")
    both.print().uid("sink")
    came, went = counts(env)
    assert (went["one"], went["two"]) == (1000, 10)
    assert (came["both"], went["both"], came["behind"], went["behind"], came["sink"]) == (1010,) * 5
    assert "sink" not in went


def test_keyed_operators_with_side_outputs(env):
    class Split(KeyedProcessFunction):
        def process_element(self, value, ctx):
            if value % 2:
                yield TAG, value
            if value % 3 == 0:
                yield value

    split = env.from_collection(list(NUMBERS)).key_by(lambda n: n % 7).process(Split(), Types.LONG()).uid("split")
    split.map(lambda n: n).uid("thirds").print()
    split.get_side_output(TAG).map(lambda n: n).uid("odd").print()
    came, went = counts(env)
    thirds = len([n for n in NUMBERS if n % 3 == 0])
    assert (came["split"], went["split"], came["thirds"], came["odd"]) == (1000, thirds + 500, thirds, 500)


def test_side_outputs_within_a_chain(env):
    class Split(ProcessFunction):
        def process_element(self, value, ctx):
            yield value
            if value % 2:
                yield TAG, value

    split = env.from_collection(list(NUMBERS)).process(Split(), Types.LONG()).uid("split")
    ignore(split.map(lambda n: n).uid("all"))
    split.get_side_output(TAG).map(lambda n: n).uid("odd").print()
    came, went = counts(env)
    assert (came["split"], went["split"], came["all"], came["odd"]) == (1000, 1500, 1000, 500)


def test_several_epochs_add_up(env):
    env.configure(Configuration().set_integer("datastream.epoch.max-records", 100))
    env.from_collection(list(NUMBERS)).filter(lambda n: n % 2).uid("odd").key_by(lambda n: n % 3).reduce(
        lambda a, b: a + b
    ).uid("sums").print()
    came, went = counts(env)
    assert (came["odd"], went["odd"], came["sums"], went["sums"]) == (1000, 500, 500, 500)
