"""Mistakes with types and keys."""

from __future__ import annotations

from .mistake import EAGER, Mistake

TITLE = "Types and keys"

MISTAKES = (
    Mistake(
        "declared-type",
        "A declared type that the records do not have, such as LONG for a number that is still text",
        "The job fails at the first such record: `operator 'Map' failed: TypeMismatch: field [1]: expected Long, found "
        "str '1'`",
        "Convert the value, `int(text)`, or declare what it is. `-D datastream.types.check=coerce` converts what it "
        "can",
        """
        words.map(lambda word: (word, "1"), Types.TUPLE([Types.STRING(), Types.LONG()])).print()  # here
        env.execute()
        """,
        ("{here}", "record:   ('to', '1')"),
    ),
    Mistake(
        "union-of-types",
        "`union` of streams with different types",
        "The script stops: `union needs streams of one type: …has Long, …has String; map one of them to the type of "
        "the "
        "other`",
        "`map` both to one type first, or `connect` them",
        """
        ids = env.from_collection([1, 2], Types.LONG())  # here
        names = env.from_collection(["x"], Types.STRING())
        ids.union(names).print()
        """,
        ("{here}",),
        exit_code=2,
    ),
    Mistake(
        "reduce-to-another-type",
        "`reduce` returns another type than that of the records: `lambda a, b: a[1] + b[1]`",
        "It fails at a key's third record: `operator 'Reduce' failed: TypeError: 'int' object is not subscriptable`, "
        "with the `hint:     the first argument of reduce is its own last result, of type int, but the records are of "
        "type tuple`",
        "Return what the records are: `(a[0], a[1] + b[1])`; or use `aggregate` in a window",
        """
        pairs = env.from_collection([("a", 1), ("a", 2), ("a", 3)])
        pairs.key_by(lambda p: p[0]).reduce(lambda a, b: a[1] + b[1]).print()  # here
        env.execute()
        """,
        ("{here}", "record:   ('a', 3)", "reduce must return the type of the records"),
    ),
    Mistake(
        "key-by-a-name",
        '`key_by("word")` or `key_by(0)`, as in older versions of Flink and in Spark',
        "The script stops: `key_by needs a function of (value) …got 'word'; for a field: key_by(lambda value: "
        "value['word'])`",
        "`key_by(lambda value: value['word'])`",
        """
        counts = env.from_collection([{"word": "to", "n": 1}])
        counts.key_by("word").sum("n").print()
        """,
        exit_code=2,
    ),
    Mistake(
        "wrong-field",
        "A field's name is misspelt: `row.wrd`, `row['wrd']`, `sum('wrd')`",
        "The job fails and shows the names that there are: `operator 'Map' failed: AttributeError: Row has no field "
        "'wrd': it has ['word', 'n']`",
        "Correct the name. It is that of the `ROW_NAMED` that was declared",
        """
        env.from_collection([Row(word="to", n=1)]).map(lambda row: row.wrd).print()  # here
        env.execute()
        """,
        ("{here}", "record:"),
    ),
    Mistake(
        "wrong-field-of-key",
        "The same in a key selector: `key_by(lambda r: r['wrd'])`",
        "The job fails: `operator 'Sum' failed: KeyError: 'wrd'`. The error names the operator after it, as the "
        "`key selector` is part of it",
        "Correct the name",
        """
        env.from_collection([{"word": "to", "n": 1}]).key_by(lambda r: r["wrd"]).sum("n").print()  # here
        env.execute()
        """,
        ("{here}", "record:   {'n': 1, 'word': 'to'}"),
    ),
    Mistake(
        "key-of-two-types",
        "Keys that are now `1` and now `'1'`, now text and now bytes",
        "No error. They are two keys with a state each: `(1, 5)` and `('1', 6)`",
        "Make them one type in the key selector, `str(r[0])`; with `key_by(selector, Types.STRING())` others are "
        "refused",
        """
        env.from_collection([(1, 5), ("1", 6)]).key_by(lambda r: r[0]).sum(1).print()
        env.execute()
        """,
        exit_code=0,
    ),
    Mistake(
        "random-key",
        "A key that is new for each record: a random number, a time, a whole record",
        "No error. Nothing is ever added up, and the state grows with each record: `('a', 5)` and `('a', 6)`",
        "Key by what belongs together. To spread records without keys use `rebalance()`",
        """
        import random

        env.from_collection([("a", 5), ("a", 6)]).key_by(lambda r: random.random()).sum(1).print()
        env.execute()
        """,
        exit_code=0,
    ),
    Mistake(
        "hot-key",
        "One key has most of the records, often one that represents a missing value",
        "One subtask does nearly all the work. A warning says so while the job runs: `the key 'unknown' holds …% of "
        "the "
        "records of 'Reduce' …one of its 4 subtasks does most of the work`",
        "Filter such records out before `key_by`; or aggregate by `(key, random number)` first, and those results "
        "by key",
        EAGER
        + """
users = numbers(40_000).map(lambda n: n if n % 4 == 0 else "unknown")
users.key_by(lambda user: user).reduce(lambda a, b: b).add_sink(lambda value: None)  # here
env.execute()
""",
        ("{here}",),
        exit_code=0,
    ),
)
