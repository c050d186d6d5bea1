"""A small keyed job, run once so that Java's loaded classes can be kept; see `archive`."""

from __future__ import annotations


def main() -> None:
    from datastream import StreamExecutionEnvironment

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    stream = env.from_collection(list(range(100)))
    stream.map(abs).rebalance().map(str).key_by(len).reduce(max).execute_and_collect().close()


if __name__ == "__main__":
    main()
