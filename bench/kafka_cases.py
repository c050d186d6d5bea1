"""The cases of Kafka; each has a broker of its own, with its records."""

from __future__ import annotations

from bench.model import Case, Side

_PARTS = "records of an epoch; the epoch and its parts by Spark's account, ms"
_NOTE = (
    "1 KB JSON records (orjson on every Python side; in jobs a map over bytes, with ByteArraySchema), 8 partitions, "
    "the broker on the same machine; the first quarter of the records does not count"
)
_BARE = "bare loop, at least once"


def kafka_cases(quick: bool) -> list[Case]:
    """The cases ``km``, ``kk``, ``kd``, ``kl`` and ``kdl``."""
    within = {"target": "bench.kafka_broker:broker", "parameters": {"records": 200_000 if quick else 2_000_000}}
    return [_mapped(within), _by_key(within), _into_delta(within), _latency(quick), _delta_latency(quick)]


def _engine(name: str, target: str, guarantee: str, parallelism: int) -> Side:
    parameters = {"guarantee": guarantee, "parallelism": parallelism}
    return Side(f"datastream, {name}, parallelism {parallelism}", f"bench.kafka_engine:{target}", parameters)


def _mapped(within: dict[str, object]) -> Case:
    def spark(name: str, cores: int, arrow: bool) -> Side:
        parameters = {"cores": cores, "arrow": arrow}
        return Side(f"PySpark, {name}, local[{cores}]", "bench.kafka_spark:mapped", parameters)

    return Case(
        "km",
        "Kafka -> map -> Kafka",
        "records/s",
        (
            _engine("exactly once", "mapped", "EXACTLY_ONCE", 1),
            _engine("at least once", "mapped", "AT_LEAST_ONCE", 1),
            _engine("exactly once", "mapped", "EXACTLY_ONCE", 2),
            Side(_BARE, "bench.kafka_plain:mapped", {"transactions": False}),
            Side("bare loop, transactions", "bench.kafka_plain:mapped", {"transactions": True}),
            spark("UDF", 1, False),
            spark("UDF by Arrow", 1, True),
            spark("UDF", 2, False),
            spark("UDF by Arrow", 2, True),
        ),
        _BARE,
        _PARTS,
        _NOTE,
        within=within,
    )


def _by_key(within: dict[str, object]) -> Case:
    return Case(
        "kk",
        "Kafka -> running count by key -> Kafka, 1,000 keys",
        "records/s",
        (
            _engine("exactly once", "by_key", "EXACTLY_ONCE", 1),
            _engine("at least once", "by_key", "AT_LEAST_ONCE", 1),
            _engine("exactly once", "by_key", "EXACTLY_ONCE", 2),
            Side(_BARE, "bench.kafka_plain:by_key", {"transactions": False}),
            Side("bare loop, transactions", "bench.kafka_plain:by_key", {"transactions": True}),
            Side("PySpark groupBy.count, local[1]", "bench.kafka_spark:by_key", {"cores": 1}),
            Side("PySpark groupBy.count, local[2]", "bench.kafka_spark:by_key", {"cores": 2}),
        ),
        _BARE,
        _PARTS,
        f"{_NOTE}; PySpark: all in Java, in update mode, which gives one record a key and epoch, not one a record; "
        "the bare loop keeps its counts in a dict, which do not survive it",
        within=within,
    )


def _into_delta(within: dict[str, object]) -> Case:
    def engine(parallelism: int) -> Side:
        name = f"datastream, exactly once, parallelism {parallelism}"
        return Side(name, "bench.kafka_engine:into_delta", {"parallelism": parallelism})

    bare = Side(_BARE, "bench.kafka_plain:into_delta", {})
    return Case(
        "kd",
        "Kafka -> Delta Lake, five fields of JSON",
        "records/s",
        (engine(1), engine(2), bare),
        bare.name,
        _PARTS,
        "1 KB JSON records, 8 partitions, the broker on the same machine; the first quarter of the records does not "
        "count; the bare loop decodes by orjson, and appends by delta-rs and commits offsets every second",
        within=within,
    )


def _latency(quick: bool) -> Case:
    run = {"seconds": 5.0 if quick else 30.0, "warm_s": 3.0 if quick else 10.0}

    def engine(name: str, guarantee: str, keyed: bool) -> Side:
        return Side(
            f"datastream, {name}", "bench.kafka_latency:engine", {**run, "guarantee": guarantee, "keyed": keyed}
        )

    def spark(name: str, keyed: bool) -> Side:
        return Side(f"PySpark, {name}", "bench.kafka_latency:pyspark", {**run, "keyed": keyed})

    return Case(
        "kl",
        "from a producer's clock to a consumer's, 100 records/s",
        "ms",
        (
            engine("map, exactly once", "EXACTLY_ONCE", False),
            engine("map, at least once", "AT_LEAST_ONCE", False),
            engine("count by key, exactly once", "EXACTLY_ONCE", True),
            spark("UDF", False),
            spark("last record by key", True),
        ),
        "PySpark, UDF",
        "latency, ms; the epoch and its parts by Spark's account, ms; medians of single calls of source and sink, ms",
        f"medians over {run['seconds']:g} s after {run['warm_s']:g} s; the consumer reads committed records; 1 KB JSON "
        "records, 8 partitions; parallelism 1 on local[2]; PySpark by key: max(at) in Java, in update mode",
        within={"target": "bench.kafka_broker:broker", "parameters": {"records": 0}},
    )


def _delta_latency(quick: bool) -> Case:
    run = {"seconds": 5.0 if quick else 30.0, "warm_s": 3.0 if quick else 10.0}

    def engine(per_s: int, parallelism: int) -> Side:
        name = f"datastream, {per_s:,} records/s, parallelism {parallelism}"
        return Side(name, "bench.delta_latency:engine", {**run, "per_s": per_s, "parallelism": parallelism})

    sides = (engine(50_000, 2), engine(50_000, 1), engine(10_000, 1))
    return Case(
        "kdl",
        "from a producer's clock to a version of a Delta table, exactly once",
        "ms",
        sides,
        sides[0].name,
        "latency, ms; records of a version; records/s that were written",
        f"means over {run['seconds']:g} s after {run['warm_s']:g} s; 1 KB JSON records, 8 partitions, the broker and "
        "the producer on the same two cores",
        within={"target": "bench.kafka_broker:broker", "parameters": {"records": 0}},
    )
