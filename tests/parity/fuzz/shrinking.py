"""Makes a program smaller that does not do the same on both sides."""

from __future__ import annotations

from tests.parity.fuzz.program import Program
from tests.parity.fuzz.running import Differs, Sides

#: Jobs on Flink for one program.
ROUNDS = 10


def shrunk(program: Program, diff: Differs, sides: Sides) -> tuple[Program, Differs]:
    """The smallest that was found, which differs in what the program differs in."""
    size = max(len(program.parts) // 2, 1)
    for _ in range(ROUNDS):
        count = len(program.parts)
        cuts = [[i for i in range(count) if not at <= i < at + size] for at in range(0, count, size)]
        found = [
            (less, less_diff)
            for less, less_diff in sides.differing([program.only(kept) for kept in cuts if kept])
            if less_diff.keys() == diff.keys()
        ]
        if found:
            program, diff = min(found, key=lambda pair: len(pair[0].parts))
            size = max(min(size, len(program.parts) // 2), 1)
        elif size == 1:
            break
        else:
            size = max(size // 2, 1)
    return program, diff
