"""How many steps the Collatz rule (n/2 or 3n+1) takes to 1: each number goes round a loop until it is there.

datastream run examples/loops/collatz.py
datastream run examples/loops/collatz.py --up-to 100000
"""

import argparse

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

NUMBER = Types.TUPLE([Types.LONG(), Types.LONG(), Types.LONG()])


def step(state):
    start, number, steps = state
    return start, number // 2 if number % 2 == 0 else 3 * number + 1, steps + 1


def collatz(up_to):
    env = StreamExecutionEnvironment.get_execution_environment()
    numbers = env.from_sequence(2, up_to).map(lambda n: (n, n, 0), output_type=NUMBER)

    loop = numbers.iterate()
    stepped = loop.map(step, output_type=NUMBER)
    loop.close_with(stepped.filter(lambda state: state[1] != 1))

    done = stepped.filter(lambda state: state[1] == 1)
    done.map(lambda state: f"{state[0]}: {state[2]} steps", output_type=Types.STRING()).print()
    env.execute("collatz")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--up-to", type=int, default=20, help="The largest number.")
    collatz(parser.parse_args().up_to)
