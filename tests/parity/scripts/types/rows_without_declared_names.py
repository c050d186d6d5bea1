from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
PAIR = Types.ROW([Types.INT(), Types.STRING()])
NAMED = Types.ROW_NAMED(["f0", "f1"], [Types.INT(), Types.STRING()])
OTHER = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
MADE = [
    lambda n: Row(n, "x"),
    lambda n: Row(f1="x", f0=n),
    lambda n: Row(f0=n, f1="x"),
]


def rows(kind, make):
    return env.from_collection([1, 2, 3], Types.INT()).map(lambda n: make[n - 1](n), kind)


def read(row):
    return f"{row[0]} {row[1]}"


def run(name, stream):
    with stream.execute_and_collect() as found:
        print(name, *found)


run("row", rows(PAIR, MADE))
run("row, read", rows(PAIR, MADE).map(read, Types.STRING()))
run("row, read behind an exchange", rows(PAIR, MADE).rebalance().map(read, Types.STRING()))
run("named", rows(NAMED, MADE))
run("named, read behind a key", rows(NAMED, MADE).key_by(lambda row: "k").map(read, Types.STRING()))
run("other names", rows(OTHER, [MADE[0], lambda n: Row(b="x", a=n), lambda n: Row(a=n, b="x")]))
