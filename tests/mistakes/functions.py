"""Mistakes in functions."""

from __future__ import annotations

from .mistake import Mistake

TITLE = "Functions"

MISTAKES = (
    Mistake(
        "class",
        "The class, not an object: `stream.map(Upper)`",
        "The script stops at that line: `map got the class Upper; pass an object: Upper()`",
        "`stream.map(Upper())`",
        """
        class Upper(MapFunction):
            def map(self, value):
                return value.upper()

        words.map(Upper).print()
        """,
        ("words.map(Upper).print()",),
        exit_code=2,
    ),
    Mistake(
        "called",
        "The function is called: `stream.map(clean())`",
        "The script stops: `map needs a function of (value) or an object with a method map(value), got None; pass the "
        "function itself, without calling it`",
        "`stream.map(clean)`",
        """
        def clean(word=""):
            pass

        words.map(clean()).print()
        """,
        exit_code=2,
    ),
    Mistake(
        "yield-in-map",
        "`yield` in the function of `map`",
        "Each record becomes a generator object. A warning says so: `map: parts at …yields, so what it returns is a "
        "generator; for several results use flat_map`",
        "`flat_map` for any number of results; `return` for one",
        """
        def parts(word):
            yield word
            yield word.upper()

        words.map(parts).rebalance().map(lambda word: word).print()
        env.execute()
        """,
        ("cannot pickle 'generator' object", "operator 'Map'", "hint:", "use flat_map, or return one value"),
    ),
    Mistake(
        "value-from-flat-map",
        "`flat_map` returns a value: `flat_map(lambda line: len(line))`",
        "The job fails: `operator 'FlatMap' failed: ValidationError: the function must yield its results, or return a "
        "list of them; it returned 'int'`",
        "`map` for one result; else `yield` it, or return a list",
        "words.flat_map(lambda word: len(word)).print()  # here\nenv.execute()\n",
        ("{here}", "record:   'to'"),
    ),
    Mistake(
        "text-from-flat-map",
        "`flat_map` returns a text, or `process_element` returns a tuple: `flat_map(lambda line: line.upper())`",
        "No error. Every letter of the text, or field of the tuple, becomes a record: `T`, then `O`",
        "`map` for one result; else `yield` it, or return a list of it",
        "words.flat_map(lambda word: word.upper()).print()\nenv.execute()\n",
        ("T\nO\nB\nE\n",),
        exit_code=0,
    ),
    Mistake(
        "no-return",
        "A function without `return`, or with `except: pass`",
        "The next function gets None and fails. The error shows `record:   None` and the `hint:     the record is "
        "None, "
        "so a function before this one returned None`",
        "Return a value on every path. To drop records use `filter`, or a `flat_map` that yields nothing",
        """
        def clean(word):
            word.strip()

        words.map(clean).map(lambda word: word.upper()).print()  # here
        env.execute()
        """,
        ("operator 'Map' failed: AttributeError: 'NoneType' object has no attribute 'upper'", "{here}"),
    ),
    Mistake(
        "connection",
        "A connection, lock, open file or SparkSession in a function, often by a lambda over `self`",
        "The job does not start: `the function of operator 'Map' …cannot be sent to the workers because it refers to "
        "variable 'self' (Job), by its attribute 'db' (Connection)`",
        "Make such objects in `open()`, which runs in the worker",
        """
        import sqlite3

        class Job:
            def __init__(self):
                self.db = sqlite3.connect(":memory:")
                self.suffix = "!"

            def build(self):
                words.map(lambda word: word + self.suffix).print()  # here

        Job().build()
        env.execute()
        """,
        ("{here}", "open() method, which runs in the worker"),
        exit_code=2,
    ),
    Mistake(
        "defined-later",
        "A function or variable that is defined, or set, after the call that uses it: "
        "`stream.map(lambda x: double(x))`, then `def double(x)`",
        "The job fails: `NameError: name 'double' is not defined`. As in Flink, variables count as they are when "
        "the stream gets the function",
        "Define it before the call",
        """
        env.from_collection([10]).map(lambda x: double(x)).print()

        def double(x):
            return 2 * x

        env.execute()
        """,
        ("operator 'Map' failed: NameError: name 'double' is not defined", "function: <lambda>"),
    ),
    Mistake(
        "global-variable",
        "A global variable that functions change: `count += 1`, `seen.append(x)`",
        "No error. Workers change copies of their own, which are gone after a failure; the script's stays as it was: "
        "`the script has counted 0`",
        "Keyed state for what is to be remembered, a metric for counts",
        """
        count = 0

        def number(word):
            global count
            count += 1
            return word

        words.map(number).print()
        env.execute()
        print("the script has counted", count)
        """,
        exit_code=0,
    ),
    Mistake(
        "changed-after",
        "An object is changed after it was emitted: a list that is yielded, and appended to later; a default argument "
        "such as `seen=[]`",
        "No error. All records are one object, and show its last content: `['to', 'be', 'to']` three times",
        "Give a copy: `yield list(self.buffer)`",
        """
        class Gather(FlatMapFunction):
            def __init__(self):
                self.buffer = []

            def flat_map(self, value):
                self.buffer.append(value)
                yield self.buffer

        words.flat_map(Gather()).print()
        env.execute()
        """,
        ("['to', 'be', 'to']\n" * 3,),
        exit_code=0,
    ),
)
