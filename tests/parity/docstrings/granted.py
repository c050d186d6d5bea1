"""What the examples take for granted: imports, and names such as `tab`, `ds` and `env`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

_IMPORTS = """
import asyncio, datetime, time
from typing import *
from pyflink.common import *
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import *
from pyflink.datastream.window import *
from pyflink.datastream.state import MapStateDescriptor
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat
from pyflink.datastream.formats.csv import CsvBulkWriters, CsvReaderFormat, CsvSchema
from pyflink.table import *
from pyflink.table.catalog import *
from pyflink.table.expressions import *
from pyflink.table.expressions import coalesce, json, json_array, json_array_agg, json_object, json_object_agg
from pyflink.table.expressions import map_from_arrays, object_of
from pyflink.table.expression import *
from pyflink.table.expression import JsonOnNull
from pyflink.table.udf import AsyncScalarFunction, udaf, udf, udtaf, udtf
from pyflink.table.window import *
from pyflink.table.types import ArrayType, BigIntType, FloatType, IntType, MapType, MultisetType, RowField, RowType
from pyflink.table.types import DataType, SmallIntType, TinyIntType, VarCharType
from pyflink.datastream import AggregateFunction
from pyflink.datastream.functions import ProcessAllWindowFunction
"""

#: Name of an example -> the names that it finds instead of the usual ones; ``Class.`` for all of a class.
_OWN: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}

_TEXTS = ("Table.select", "Table.add_columns", "Table.add_or_replace_columns", "Table.flat_map", "convert_tz")
_TIMED = (
    *("Expression.over", "Expression.start", "Expression.end", "Table.window", "Table.over_window", "row_interval"),
    *("GroupWindowedTable.group_by", "WindowGroupedTable.select", "WindowGroupedTable.aggregate"),
    "OverWindowedTable.select",
)
#: Without a time attribute only a batch job sorts, and a function of pandas aggregates.
_BATCH = (
    *("Expression.asc", "Expression.desc", "Table.order_by", "Table.offset", "Table.fetch", "Table.limit"),
    *("Table.aggregate", "GroupedTable.aggregate", "AggregatedTable.select", "Table.minus", "Table.minus_all"),
    *("Table.union", "Table.intersect", "Table.intersect_all"),
)


def names(example: str) -> dict[str, Any]:
    """The names that an example finds.

    Args:
        example: Its qualified name, such as ``Table.select``.
    """
    found = _imports()
    found.update(_streams(found))
    found.update(_tables(found, example))
    found.update(_functions(found))
    for owner, own in _OWN.items():
        if example == owner or owner.endswith(".") and example.startswith(owner):
            found.update(own(found))
    return found


def _imports() -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(_IMPORTS, found)
    types = importlib.import_module("pyflink.table.types")
    found.update({name: value for name, value in vars(types).items() if name == "_create_type_verifier"})
    return {**found, "_DataStream": found["DataStream"]}


def _streams(api: dict[str, Any]) -> dict[str, Any]:
    types = api["Types"]
    env = api["StreamExecutionEnvironment"].get_execution_environment()
    env.set_parallelism(1)
    pairs = types.TUPLE([types.INT(), types.STRING()])
    numbers = env.from_collection([1, 2, 3], type_info=types.INT())
    first = env.from_collection([(1, "a"), (2, "b"), (3, "a")], type_info=pairs)
    return {
        "env": env,
        "stream_env": env,
        "numbers": numbers,
        "ds": first,
        "ds1": first,
        "data_stream": first,
        "ds2": env.from_collection([(3, "c")], type_info=pairs),
    }


def _tables(api: dict[str, Any], example: str) -> dict[str, Any]:
    types, field = api["DataTypes"], api["DataTypes"].FIELD
    settings = api["EnvironmentSettings"]
    if example in _BATCH:
        t_env = api["TableEnvironment"].create(settings.in_batch_mode())
    else:
        t_env = api["StreamTableEnvironment"].create(api["env"])
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set("table.local-time-zone", "UTC")
    number = types.STRING() if example in _TEXTS else types.BIGINT()
    columns = [
        *(field("a", types.BIGINT()), field("b", number), field("c", types.STRING()), field("e", types.BIGINT())),
        *(field("key", types.STRING()), field("name", types.STRING()), field("value", number)),
    ]
    rows = [(1, 2, "x", 5, "k", "Fred", 1), (2, 4, "x", 6, "k", "Ann", 2), (3, 6, "y", 7, "l", "Fred", 3)]
    if example in _TEXTS:
        rows = [(a, f"{b},{b}", c, e, key, name, str(value)) for a, b, c, e, key, name, value in rows]
    if example == "convert_tz":
        columns[0] = field("a", types.STRING())
        rows = [("1970-01-01 00:00:00", *row[1:]) for row in rows]
    tab = t_env.from_elements(rows, types.ROW(columns))
    if example in _TIMED:
        tab = _timed(api, t_env)
    small = [field(name, types.BIGINT()) for name in "abc"]
    other = [field(name, types.BIGINT()) for name in ("def" if "join" in example else "abc")]
    if "join" in example and "lateral" not in example:
        other[1] = field("b", types.BIGINT())
        small[1] = field("e", types.BIGINT())
        other[2] = field("f", types.BIGINT())
    return {
        **{"t_env": t_env, "table_env": t_env, "tab": tab, "table": tab, "orders": tab},
        "left": t_env.from_elements([(1, 2, 4), (1, 2, 4), (2, 3, 5)], types.ROW(small)),
        "right": t_env.from_elements([(1, 2, 4), (3, 1, 6)], types.ROW(other)),
        "table_config": t_env.get_config(),
    }


def _timed(api: dict[str, Any], t_env: Any) -> Any:
    """A table with an attribute of event time and one of processing time."""
    types = api["Types"]
    fields = types.ROW_NAMED(
        ["a", "b", "c", "e", "key", "value", "at"],
        [types.LONG(), types.LONG(), types.STRING(), types.LONG(), types.STRING(), types.LONG(), types.LONG()],
    )
    row = api["Row"]
    rows = [row(1, 2, "x", 5, "k", 1, 1000), row(2, 4, "x", 6, "k", 2, 5000), row(3, 6, "y", 7, "l", 3, 900_000)]
    schema = api["Schema"].new_builder().column_by_expression("rowtime", "TO_TIMESTAMP_LTZ(`at`, 3)")
    schema = schema.column_by_expression("proctime", "PROCTIME()").watermark("rowtime", "rowtime - INTERVAL '1' SECOND")
    return t_env.from_data_stream(api["env"].from_collection(rows, type_info=fields), schema.build())


def _functions(api: dict[str, Any]) -> dict[str, Any]:
    # What the methods need is imported in them: names of `api` hold environments, which cannot be sent.
    class MyMapFunction(api["MapFunction"]):
        def map(self, value: Any) -> Any:
            return value

    class MyFlatMapFunction(api["FlatMapFunction"]):
        def flat_map(self, value: Any) -> Any:
            yield value
            yield value

    class MyFilterFunction(api["FilterFunction"]):
        def filter(self, value: Any) -> bool:
            return bool(value[0] > 1)

    class MyReduceFunction(api["ReduceFunction"]):
        def reduce(self, value1: Any, value2: Any) -> Any:
            return value1[0] + value2[0], value1[1]

    class MyCoMapFunction(api["CoMapFunction"]):
        def map1(self, value: Any) -> Any:
            return value

        def map2(self, value: Any) -> Any:
            return value

    class MyProcessAllWindowFunction(api["ProcessAllWindowFunction"]):
        def process(self, context: Any, elements: Any) -> Any:
            yield context.window().start, context.window().end, len(list(elements))

    class MyTimestampAssigner(api["TimestampAssigner"]):
        def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
            return int(value[0])

    class Extractor(api["SessionWindowTimeGapExtractor"]):
        def extract(self, element: Any) -> int:
            return 1000

    class MyTableAggregateFunction(api["TableAggregateFunction"]):
        def create_accumulator(self) -> Any:
            return [0]

        def accumulate(self, accumulator: Any, *values: Any) -> None:
            accumulator[0] += values[0]

        def emit_value(self, accumulator: Any) -> Any:
            from pyflink.common import Row

            yield Row(accumulator[0], accumulator[0] + 1)

        def get_accumulator_type(self) -> Any:
            return "ARRAY<BIGINT>"

        def get_result_type(self) -> Any:
            return "ROW<a BIGINT, b BIGINT>"

    classes = (
        *(MyMapFunction, MyFlatMapFunction, MyFilterFunction, MyReduceFunction, MyCoMapFunction, MyTimestampAssigner),
        *(MyProcessAllWindowFunction, MyTableAggregateFunction),
    )
    return {**{cls.__name__: cls for cls in classes}, "extractor": Extractor()}


def _own(*examples: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        _OWN.update(dict.fromkeys(examples, function))
        return function

    return register


@_own("CheckpointConfig.")
def _checkpoint_config(api: dict[str, Any]) -> dict[str, Any]:
    return {"config": api["env"].get_checkpoint_config()}


@_own("ExecutionConfig.")
def _execution_config(api: dict[str, Any]) -> dict[str, Any]:
    return {"config": api["env"].get_config()}


@_own("EmbeddedRocksDBStateBackend.")
def _state_backend(api: dict[str, Any]) -> dict[str, Any]:
    return {"state_backend": api["EmbeddedRocksDBStateBackend"]()}


@_own("DataStream")
def _mapping(api: dict[str, Any]) -> dict[str, Any]:
    return {
        "DataStream": api["ds"],
        "MapFunctionImpl": api["MyMapFunction"],
        "FilterFunctionImpl": api["MyFilterFunction"],
    }


@_own("FlatMapFunction.flat_map", "CoFlatMapFunction")
def _numbers(api: dict[str, Any]) -> dict[str, Any]:
    return {"ds1": api["numbers"], "ds2": api["numbers"]}


@_own("WindowedStream.aggregate")
def _values_of_words(api: dict[str, Any]) -> dict[str, Any]:
    types = api["Types"]
    words = [("a", 1), ("b", 2), ("a", 4)]
    return {"ds": _with_time(api, words, types.TUPLE([types.STRING(), types.INT()]))}


@_own("AllWindowedStream.aggregate")
def _values_of_all(api: dict[str, Any]) -> dict[str, Any]:
    return _values_of_words(api)


@_own("WindowedStream.", "AllWindowedStream.side_output_late_data", "AllWindowedStream.reduce", "KeyedStream.reduce")
def _numbers_with_words(api: dict[str, Any]) -> dict[str, Any]:
    """Some examples have a function that gives one value and, behind it, a second argument `b[1]`."""
    types = api["Types"]
    pairs = types.TUPLE([types.INT(), types.STRING()])
    return {"ds": _with_time(api, [(1, "a"), (2, "b"), (3, "a")], pairs), "b": (None, types.INT())}


def _with_time(api: dict[str, Any], values: list[Any], type_info: Any) -> Any:
    class Assigner(api["TimestampAssigner"]):
        def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
            return 1000

    strategy = api["WatermarkStrategy"].for_monotonous_timestamps().with_timestamp_assigner(Assigner())
    return api["env"].from_collection(values, type_info=type_info).assign_timestamps_and_watermarks(strategy)


@_own("CsvReaderFormat")
def _csv_file(api: dict[str, Any]) -> dict[str, Any]:
    Path("in.csv").write_text("id|name|list\n1|one|a,b\n2|two|\n")
    return {"CSV_FILE_PATH": str(Path("in.csv").absolute())}


@_own("CsvBulkWriters")
def _csv_rows(api: dict[str, Any]) -> dict[str, Any]:
    types = api["Types"]
    fields = types.ROW_NAMED(["id", "name", "list"], [types.INT(), types.STRING(), types.LIST(types.STRING())])
    rows = [api["Row"](1, "one", ["a", "b"]), api["Row"](2, "two", [])]
    return {"ds": api["env"].from_collection(rows, type_info=fields), "OUTPUT_DIR": str(Path("out").absolute())}


@_own("Expression.as_argument")
def _named_arguments(api: dict[str, Any]) -> dict[str, Any]:
    api["t_env"].create_temporary_system_function(
        "MyFunction", api["udf"](lambda a, b: a + b, result_type=api["DataTypes"].BIGINT())
    )
    return {"table": api["tab"].select(api["col"]("a").alias("my_column"))}


@_own("Table.to_pandas", "TableEnvironment.from_pandas")
def _pandas(api: dict[str, Any]) -> dict[str, Any]:
    return {"np": importlib.import_module("numpy"), "pd": importlib.import_module("pandas")}


@_own("Expression.in_")
def _two_tables(api: dict[str, Any]) -> dict[str, Any]:
    tab, col = api["tab"], api["col"]
    return {"table_a": tab.select(col("a").alias("x")), "table_b": tab.select((col("a") + 1).alias("y"))}


@_own("coalesce")
def _texts(api: dict[str, Any]) -> dict[str, Any]:
    types = api["DataTypes"]
    fields = types.ROW([types.FIELD("f0", types.STRING()), types.FIELD("f1", types.STRING())])
    return {"tab": api["t_env"].from_elements([("a", "b"), (None, "b"), (None, None)], fields)}


@_own("json_object", "json_array", "json_object_agg", "json_array_agg")
def _orders(api: dict[str, Any]) -> dict[str, Any]:
    types, field = api["DataTypes"], api["DataTypes"].FIELD
    fields = types.ROW(
        [field("orderId", types.INT()), field("product", types.STRING().not_null()), field("cnt", types.INT())]
    )
    orders = api["t_env"].from_elements([(7, "Apple", 2)], fields)
    return {"orders": orders, "tab": orders}


@_own("StatementSet.add_insert", "Table", "TableEnvironment.from_path", "Table.insert_into", "Table.execute_insert")
def _named_tables(api: dict[str, Any]) -> dict[str, Any]:
    t_env, tab, col = api["t_env"], api["tab"], api["col"]
    for name in ("SourceTable", "MyTable", "tableName"):
        t_env.create_temporary_view(name, tab.select(col("a"), col("key")))
    for name in ("MySinkTable", "sink"):
        of_all = "a BIGINT, key STRING" if name == "MySinkTable" else _COLUMNS
        t_env.execute_sql(f"CREATE TEMPORARY TABLE {name} ({of_all}) WITH ('connector' = 'blackhole')")
    return {}


_COLUMNS = "a BIGINT, b BIGINT, c STRING, e BIGINT, key STRING, name STRING, `value` BIGINT"


@_own("Table.from_changelog")
def _changes(api: dict[str, Any]) -> dict[str, Any]:
    types, field = api["DataTypes"], api["DataTypes"].FIELD
    fields = types.ROW([field("op", types.STRING()), field("operation", types.STRING()), field("id", types.BIGINT())])
    rows = [("INSERT", "INSERT", 1), ("UPDATE_BEFORE", "UPDATE_BEFORE", 1), ("UPDATE_AFTER", "UPDATE_AFTER", 2)]
    return {"cdc_stream": api["t_env"].from_elements(rows, fields)}


@_own("WindowGroupedTable.select")
def _window_grouped(api: dict[str, Any]) -> dict[str, Any]:
    col, lit = api["col"], api["lit"]
    window = api["Tumble"].over(lit(10).minutes).on(col("rowtime")).alias("window")
    return {"window_grouped_table": api["tab"].window(window).group_by(col("key"), col("window"))}


@_own("WindowGroupedTable.aggregate")
def _windowed(api: dict[str, Any]) -> dict[str, Any]:
    col, lit = api["col"], api["lit"]
    window = api["Tumble"].over(lit(10).minutes).on(col("rowtime")).alias("w")
    return {"window_grouped_table": api["tab"].window(window)}


@_own("OverWindowedTable.select")
def _over_windowed(api: dict[str, Any]) -> dict[str, Any]:
    col, lit = api["col"], api["lit"]
    window = api["Over"].partition_by(col("c")).order_by(col("rowtime")).preceding(lit(10).seconds).alias("ow")
    return {"over_windowed_table": api["tab"].over_window(window)}


@_own("TableEnvironment.create_temporary_view", "TableEnvironment.sql_query")
def _catalogs(api: dict[str, Any]) -> dict[str, Any]:
    t_env = api["t_env"]
    t_env.execute_sql("CREATE CATALOG cat WITH ('type' = 'generic_in_memory', 'default-database' = 'db')")
    return {"stream": api["ds"]}


@_own("StreamTableEnvironment.to_changelog_stream")
def _people(api: dict[str, Any]) -> dict[str, Any]:
    types, field = api["DataTypes"], api["DataTypes"].FIELD
    payload = types.ROW([field("name", types.STRING()), field("age", types.INT())])
    fields = types.ROW([field("id", types.BIGINT()), field("payload", payload)])
    return {"table": api["t_env"].from_elements([(1, api["Row"]("Alice", 12))], fields)}


@_own("TableResult.collect")
def _result(api: dict[str, Any]) -> dict[str, Any]:
    return {"t_env": _Executing(api["tab"])}


class _Executing:
    """Stands for an environment whose `execute` gives the result of a query."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def execute(self, query: str) -> Any:
        return self._table.execute()


@_own("StreamExecutionEnvironment.", "TableEnvironment.", "TableConfig.")
def _files(api: dict[str, Any]) -> dict[str, Any]:
    Path("requirements.txt").write_text("")
    Path("cached_dir").mkdir(exist_ok=True)
    Path("py_env.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    return {}
