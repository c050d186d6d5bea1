"""Mistakes with state and keyed functions."""

from __future__ import annotations

from .mistake import Mistake

TITLE = "State"

MISTAKES = (
    Mistake(
        "no-key-by",
        "`window(...)` or a `KeyedProcessFunction` on a stream without keys",
        "The script stops: `Count is a KeyedProcessFunction, which needs a keyed stream: call key_by first`",
        "`stream.key_by(...)` before it; or `window_all`",
        """
        class Count(KeyedProcessFunction):
            def process_element(self, value, ctx):
                yield value

        words.process(Count()).print()
        """,
        exit_code=2,
    ),
    Mistake(
        "state-without-keys",
        "`get_state` in a function without keys",
        "The job fails in open(): `it needs a keyed stream (call key_by first)`",
        "`stream.key_by(...)` before it",
        """
        class Count(ProcessFunction):
            def open(self, runtime_context):
                self.n = runtime_context.get_state(ValueStateDescriptor("n", Types.LONG()))  # here

            def process_element(self, value, ctx):
                yield value

        words.process(Count()).print()
        env.execute()
        """,
        ("operator 'PROCESS' failed", "function: Count.open", "{here}"),
    ),
    Mistake(
        "first-value",
        "`self.count.value() + 1` without a default",
        "The job fails at a key's first record: `TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'`, "
        "with the `hint:     something is None here: ValueState.value() is None for a key that it was never updated "
        "for`",
        "`(self.count.value() or 0) + 1`",
        """
        class Count(KeyedProcessFunction):
            def open(self, runtime_context):
                self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

            def process_element(self, value, ctx):
                self.count.update(self.count.value() + 1)  # here
                yield value, self.count.value()

        words.key_by(lambda word: word).process(Count()).print()
        env.execute()
        """,
        ("operator 'KEYED PROCESS' failed", "{here}"),
    ),
    Mistake(
        "one-name-twice",
        "Two states of one operator with the same name",
        "The job fails in open(): `the operator has a state 'n' of type Long already; give the one of type String "
        "another name`",
        "A name for each state of an operator",
        """
        class Count(KeyedProcessFunction):
            def open(self, runtime_context):
                self.count = runtime_context.get_state(ValueStateDescriptor("n", Types.LONG()))
                self.name = runtime_context.get_state(ValueStateDescriptor("n", Types.STRING()))  # here

            def process_element(self, value, ctx):
                yield value

        words.key_by(lambda word: word).process(Count()).print()
        env.execute()
        """,
        ("operator 'KEYED PROCESS' failed", "function: Count.open", "{here}"),
    ),
    Mistake(
        "attribute-as-state",
        "An attribute of the function as state: `self.count += 1`",
        "No error. It counts over all keys of a subtask, and is lost after a failure: the result of the third word "
        "is `('to', 3)`, "
        "not 2",
        "`runtime_context.get_state(...)` in `open()`",
        """
        class Count(KeyedProcessFunction):
            def __init__(self):
                self.count = 0

            def process_element(self, value, ctx):
                self.count += 1
                yield value, self.count

        words.key_by(lambda word: word).process(Count()).print()
        env.execute()
        """,
        exit_code=0,
    ),
    Mistake(
        "no-uid",
        "No `uid`, and the job is changed between two runs with one checkpoint directory",
        "The job does not start: `belongs to another job; nothing was read or written`, and a list of the operators "
        "that differ",
        "`uid(...)` on each source, each sink, and each operator with state, from the first run on",
        """
        words.key_by(lambda word: word).reduce(lambda a, b: b).print()
        env.execute()
        """,
        before="""
        words.map(str.upper).key_by(lambda word: word).reduce(lambda a, b: b).print()
        env.execute()
        """,
    ),
)
