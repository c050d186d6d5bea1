"""All cases, at full size or quick."""

from __future__ import annotations

from dataclasses import dataclass

from bench.format_cases import format_cases
from bench.kafka_cases import kafka_cases
from bench.model import Case, Side

_EPOCHS = "epochs of up to 4,000,000 records (-D datastream.epoch.max-records=4000000)"
_PARTS = "records in an epoch; the epoch and its parts by Spark's account, ms"
_PEAK = "MiB at the peak, by program; number of processes"


@dataclass(frozen=True)
class Size:
    """How much is run.

    Attributes:
        warm_s: Seconds of epochs before the measured ones.
        seconds: Seconds of measured epochs, at least.
        text_mb: Size of the text.
        numbers: Numbers of the PySpark batches.
        epochs: Small epochs that are measured.
        epochs_before: Small epochs before them.
        years: Years of flights.
    """

    warm_s: float
    seconds: float
    text_mb: int
    numbers: int
    epochs: int
    epochs_before: int
    years: int


FULL = Size(warm_s=5, seconds=12, text_mb=200, numbers=20_000_000, epochs=60, epochs_before=10, years=4)
QUICK = Size(warm_s=2, seconds=3, text_mb=20, numbers=1_000_000, epochs=12, epochs_before=4, years=2)


def cases(size: Size) -> dict[str, Case]:
    """Id -> case."""
    found = [
        _stateless("a1", "map, filter, map, filter that drops all", True, size),
        _stateless("a2", "map, filter, map, all to a discarding sink", False, size),
        _pyspark(size),
        _bounded(size),
        _loop(size),
        _keyed("c1k", 1000, size),
        _keyed("c100k", 100_000, size),
        _keyed("c1m", 1_000_000, size),
        *_stateful(size),
        _sizing(size),
        _words(size),
        *_flights(size),
        _typed(size),
        _epochs("e1", "epoch of 1,000 records, stateless", False, size),
        _epochs("e2", "epoch of 1,000 records, one keyed level", True, size),
        *_growth(size),
        _savepoint("sp", 1_000_000),
        _savepoint("sp10m", 10_000_000),
        _short(),
        *_measured(size),
        *_memory(size),
        *format_cases(),
        *kafka_cases(quick=size == QUICK),
    ]
    return {case.id: case for case in found}


def _engine(name: str, target: str, size: Size, **parameters: object) -> Side:
    return Side(name, f"bench.engine:{target}", {**parameters, "warm_s": size.warm_s, "seconds": size.seconds})


def _plain(target: str, size: Size, **parameters: object) -> Side:
    return Side("plain loop, 2 processes", f"bench.plain:{target}", {**parameters, "seconds": size.seconds})


def _stateless(id: str, title: str, filtered: bool, size: Size) -> Case:
    plain = _plain("stateless", size, filtered=filtered)
    return Case(
        id,
        title,
        "records/s",
        (_engine("datastream", "stateless", size, filtered=filtered), plain),
        plain.name,
        _PARTS,
        f"from_sequence; {_EPOCHS}; epochs after the first {size.warm_s:g} s count",
    )


def _bounded(size: Size) -> Case:
    numbers = {"numbers": size.numbers}
    plain = Side("plain loop, 2 processes", "bench.bounded:plain", numbers)
    return Case(
        "j",
        f"a job over {size.numbers:,} numbers: map, filter, map, all to a discarding sink",
        "records/s",
        (
            Side("datastream", "bench.bounded:run", numbers),
            Side("datastream, long epochs", "bench.bounded:run", {**numbers, "epoch_s": 20}),
            plain,
        ),
        plain.name,
        "start: of a job of four records, ms, which does not count; epochs; an epoch's parts by Spark's account, ms",
        "from_sequence, from its submission to its end, the second such job of a process; no settings of epochs, and "
        "datastream.epoch.target-ms=20000 with datastream.epoch.max-records=20000000",
    )


def _loop(size: Size) -> Case:
    plain = Side("plain loop, 2 processes", "bench.loops:plain", {"seconds": size.seconds})
    return Case(
        "l1",
        "iterate: 20 rounds of map and two filters for each record",
        "records/s",
        (Side("datastream", "bench.loops:inside", {"warm_s": size.warm_s, "seconds": size.seconds}), plain),
        plain.name,
        _PARTS,
        f"from_sequence; records of the input count, each of them goes round 20 times; {_EPOCHS}",
    )


def _pyspark(size: Size) -> Case:
    numbers = {"numbers": size.numbers}
    return Case(
        "b",
        "the functions of a2 in plain PySpark",
        "records/s",
        (
            _engine("datastream (as a2)", "stateless", size, filtered=False),
            Side("PySpark mapInPandas", "bench.plain_spark:map_in_pandas", numbers),
            Side("PySpark Python UDFs", "bench.plain_spark:python_udf", numbers),
        ),
        "PySpark mapInPandas",
        _PARTS,
        f"PySpark: a batch over {size.numbers:,} numbers to the noop format, second run, default session "
        f"on local[2]; datastream: {_EPOCHS}",
    )


def _keyed(id: str, keys: int, size: Size) -> Case:
    plain = _plain("keyed", size, keys=keys)
    warm_s = size.warm_s * (4 if keys >= 1_000_000 else 1)  # until most keys are there
    run = {"keys": keys, "warm_s": warm_s, "seconds": size.seconds}
    return Case(
        id,
        f"running reduce, {keys:,} keys",
        "records/s",
        (Side("datastream", "bench.engine:keyed", run), plain),
        plain.name,
        _PARTS,
        f"RocksDB, checkpoint on disk; {_EPOCHS}; after the first {warm_s:g} s; "
        "the plain loop exchanges and keeps nothing",
    )


def _stateful(size: Size) -> list[Case]:
    """Id: what is done, and with how many keys."""
    found = []
    for id, target, title, loop in (
        ("p", "process", "count in a ValueState of a process function", "plain_process"),
        ("t", "timers", "count, given by a timer of event time", "plain_process"),
        ("w", "tumbling", "sum in tumbling windows of event time", "plain_tumbling"),
        ("s", "sessions", "sum in sessions of event time", "plain_tumbling"),
    ):
        for name, keys in (("1k", 1000), ("100k", 100_000), ("1m", 1_000_000)):
            run = {"keys": keys, "warm_s": size.warm_s, "seconds": size.seconds}
            plain = Side("plain loop, 2 processes", f"bench.stateful:{loop}", {"keys": keys, "seconds": size.seconds})
            note = f"RocksDB, checkpoint on disk; {_EPOCHS}; the plain loop exchanges and keeps nothing"
            if loop == "plain_tumbling" and target != "tumbling":
                note += ", and has tumbling windows"
            found.append(
                Case(
                    f"{id}{name}",
                    f"{title}, {keys:,} keys",
                    "records/s",
                    (Side("datastream", f"bench.stateful:{target}", run), plain),
                    plain.name,
                    _PARTS,
                    note,
                )
            )
    return found


def _measured(size: Size) -> list[Case]:
    """What metrics cost: jobs that are measured, against the same that are not."""
    found = []
    for id, title, target, run in (
        ("n1", "map, filter, map, all to a discarding sink", "stateless", {"filtered": False}),
        ("n2", "running reduce, 100,000 keys", "keyed", {"keys": 100_000}),
    ):
        off = _engine("without metrics", target, size, **run)
        on = _engine("with metrics", target, size, **run, measured=True)
        found.append(Case(id, f"metrics: {title}", "records/s", (on, off), off.name, _PARTS, _EPOCHS))
    return found


def _sizing(size: Size) -> Case:
    """Epochs that find their size, against some of a fixed one."""

    def side(name: str, fixed: int | None = None) -> Side:
        run = {"keys": 100_000, "warm_s": 4 * size.warm_s, "seconds": 1.5 * size.seconds, "fixed": fixed}
        return Side(name, "bench.stateful:tumbling", run)

    fixed = [side(f"fixed: {records:,}", fixed=records) for records in (50_000, 400_000, 2_000_000)]
    return Case(
        "z100k",
        "the size of epochs: sum in tumbling windows, 100,000 keys",
        "records/s",
        (side("adaptive, target 1 s"), *fixed),
        None,
        _PARTS,
        f"as w100k; the baseline is the best fixed size; epochs after the first {4 * size.warm_s:g} s count",
    )


def _words(size: Size) -> Case:
    return Case(
        "d",
        f"word count over {size.text_mb} MB of text",
        "words/s",
        (
            Side("datastream", "bench.engine:words", {"warm_s": size.warm_s}),
            Side("plain loop, 2 processes", "bench.plain:words", {}),
        ),
        "plain loop, 2 processes",
        _PARTS,
        f"{_EPOCHS}; the records of an epoch are words; the plain loop is a Counter for each half of the file",
    )


def _flights(size: Size) -> list[Case]:
    """The example job over one year, as `scripts/demo` runs it, and over more, to see it under way."""

    def case(id: str, years: int) -> Case:
        run = {"years": years}
        plain = Side("plain loop, 2 processes", "bench.flights:plain", run)
        return Case(
            id,
            f"the flights job, {years} years of flights" if years > 1 else "the flights job, as scripts/demo runs it",
            "flights/s",
            (Side("datastream", "bench.flights:job", run), plain),
            plain.name,
            "CPU seconds for 100,000 flights, and of these by process and Java's threads; number of epochs",
            "from the commit of the first epoch to that of the last; the plain loop calls the same functions, and "
            "exchanges and keeps nothing",
        )

    return [case("v1", 1), case("vn", size.years)]


def _typed(size: Size) -> Case:
    def side(name: str, form: str) -> Side:
        return _engine(name, "two_exchanges", size, form=form)

    return Case(
        "h",
        "rows of five fields through two exchanges",
        "records/s",
        (
            side("typed: ROW_NAMED", "typed"),
            side("rows without a type", "rows"),
            side("tuples without a type", "tuples"),
        ),
        "rows without a type",
        _PARTS,
        f"from_sequence, map, rebalance, map, rebalance, map; the type is declared at each map and tested; {_EPOCHS}",
    )


def _epochs(id: str, title: str, keyed: bool, size: Size) -> Case:
    parameters = {"keyed": keyed, "number": size.epochs, "warm_up": size.epochs_before, "records": 1000}
    other = "count by key, in Java alone" if keyed else "mapInPandas"
    return Case(
        id,
        title,
        "ms",
        (
            Side("datastream", "bench.engine:epochs", parameters),
            Side(f"PySpark {other}", "bench.plain_spark:epochs", parameters),
        ),
        f"PySpark {other}",
        "p90, and the medians of the parts, ms",
        f"median of {size.epochs} epochs after {size.epochs_before}, by Spark's own account; "
        "checkpoint on disk; PySpark: rate-micro-batch to the noop format",
    )


def _growth(size: Size) -> list[Case]:
    """The time and memory of small epochs, by the number of keys in state."""

    def side(keys: int, records: int, same: bool, memory: bool = False) -> Side:
        run = {"keys": keys, "records": records, "same": same, "number": size.epochs, "warm_up": size.epochs_before}
        target = "bench.state_growth:epochs"
        if memory:
            return Side(f"{keys:,} keys", "bench.memory:peak", {"target": target, "parameters": run})
        return Side(f"{keys:,} keys", target, run)

    tables = (10_000, 100_000, 1_000_000)
    note = f"median of {size.epochs} epochs after {size.epochs_before}, once the table is filled; checkpoint on disk"
    parts = "p90, and the medians of the parts, ms"
    return [
        Case(
            "n1k",
            "epoch of 1,000 records of the same 1,000 keys, of so many in state",
            "ms",
            tuple(side(keys, 1000, True) for keys in tables),
            "10,000 keys",
            parts,
            note,
        ),
        Case(
            "n10k",
            "epoch of 10,000 records of any keys, of so many in state",
            "ms",
            tuple(side(keys, 10_000, False) for keys in tables),
            "10,000 keys",
            parts,
            note,
        ),
        Case(
            "ng",
            "memory of n10k",
            "MiB",
            tuple(side(keys, 10_000, False, memory=True) for keys in tables),
            "10,000 keys",
            _PEAK,
            "PSS of the whole tree of processes every 100 ms (RSS where there is no PSS); filling the table counts",
        ),
    ]


def _savepoint(id: str, keys: int) -> Case:
    def restored(name: str, parallelism: int, key_groups: int) -> Side:
        run = {"keys": keys, "parallelism": parallelism, "key_groups": key_groups}
        return Side(name, "bench.savepoints:restore", run)

    return Case(
        id,
        f"savepoint of {keys:,} keys with a count each",
        "s",
        (
            Side("taken", "bench.savepoints:take", {"keys": keys}),
            restored("restored, same shape", 2, 128),
            restored("restored, twice the parallelism", 4, 128),
            restored("restored, other key groups", 2, 100),
        ),
        "taken",
        "size in MB, and keys",
        "restored: from the start of the job in a warm process to the commit of its first epoch",
    )


def _short() -> Case:
    return Case(
        "f",
        "job of four records, from the shell's start to its exit",
        "s",
        (
            Side("datastream run", "bench.short:run", {}),
            Side("the same, with marks", "bench.short:run", {"marked": True}),
            Side("a second job in one process", "bench.short:run_again", {}),
            Side("--executor local", "bench.short:run", {"executor": "local"}),
        ),
        "--executor local",
        "ms since the shell's start",
        "one run of each before is not counted",
        runs=5,
        warm_up=True,
    )


def _memory(size: Size) -> list[Case]:
    def side(case: Case, index: int) -> Side:
        of = case.sides[index]
        return Side(of.name, "bench.memory:peak", {"target": of.target, "parameters": of.parameters})

    stateless, keyed = _stateless("", "", False, size), _keyed("", 100_000, size)
    name = "plain loop, 2 processes"
    note = "PSS of the whole tree of processes every 100 ms (RSS where there is no PSS)"
    return [
        Case("ga2", "memory of a2", "MiB", (side(stateless, 0), side(stateless, 1)), name, _PEAK, note),
        Case("gc100k", "memory of c100k", "MiB", (side(keyed, 0), side(keyed, 1)), name, _PEAK, note),
        Case(
            "gf",
            "memory of f",
            "MiB",
            (
                Side("datastream run", "bench.memory:short", {"executor": "spark"}),
                Side("--executor local", "bench.memory:short", {"executor": "local"}),
            ),
            "--executor local",
            _PEAK,
            note,
        ),
    ]


def chosen(text: str | None, size: Size) -> list[Case]:
    """The cases of a comma-separated list; ``a`` stands for ``a1,a2``, and so on.

    Raises:
        KeyError: there is no such case.
    """
    every = cases(size)
    if not text:
        return list(every.values())
    found: dict[str, Case] = {}
    for wanted in (part.strip() for part in text.split(",") if part.strip()):
        matching = [c for c in every.values() if c.id == wanted] or [
            c for c in every.values() if c.id.startswith(wanted)
        ]
        if not matching:
            raise KeyError(wanted)
        found.update((case.id, case) for case in matching)
    return list(found.values())
