"""Whether operators are fused or not changes nothing but speed; neither does their number."""

from __future__ import annotations

from datastream.testing import case


def steps(stream, change):
    stream = change(stream.map(lambda x: x + 1))
    stream = change(stream.filter(lambda x: x % 3))
    stream = change(stream.flat_map(lambda x: [x, -x]))
    stream = change(stream.key_by(lambda x: abs(x) % 4).reduce(lambda a, b: a + b))
    return change(stream.map(lambda x: x * 2))


@case
def test_same_results_fused_or_not(env):
    numbers = env.from_collection(range(60))
    got = yield (
        steps(numbers, lambda s: s),
        steps(numbers, lambda s: s.disable_chaining()),
        steps(numbers, lambda s: s.start_new_chain()),
    )
    assert sorted(got[0]) == sorted(got[1]) == sorted(got[2])
    assert len(got[0]) == 80


@case(alone=True)
def test_no_chaining_at_all(env):
    env.disable_operator_chaining()
    got = yield env.from_collection(range(10)).map(lambda x: x + 1).filter(lambda x: x % 2).map(str)
    assert got == ["1", "3", "5", "7", "9"]


@case
def test_sixty_operators(env):
    stream = env.from_collection(range(10))
    for i in range(60):
        stream = stream.filter(lambda x: x >= 0) if i % 3 == 2 else stream.map(lambda x: x + 1)
    got = yield stream
    assert got == list(range(40, 50))


@case
def test_twenty_five_nested_flat_maps(env):
    stream = env.from_collection([0])
    for i in range(25):
        stream = stream.flat_map((lambda x: [2 * x, 2 * x + 1]) if i % 5 == 0 else (lambda x: [x]))
    got = yield stream
    assert got == list(range(32))


@case
def test_sixty_operators_with_branches(env):
    stream = env.from_collection(range(3))
    branches = []
    for i in range(60):
        stream = stream.flat_map(lambda x: [x + 1]) if i < 25 else stream.map(lambda x: x + 1)
        if i % 20 == 0:
            branches.append(stream.map(lambda x: -x))
    got = yield (stream, *branches)
    assert got == ([60, 61, 62], [-1, -2, -3], [-21, -22, -23], [-41, -42, -43])
