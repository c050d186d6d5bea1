from pyflink.common import Configuration, Duration, Instant, Row, RowKind, Time, Types
from pyflink.common.typeinfo import BasicType
from pyflink.datastream import CheckpointingMode, RuntimeExecutionMode
from pyflink.datastream.window import CountWindow, TimeWindow
from pyflink.table import (
    DataTypes,
    EnvironmentSettings,
    FormatDescriptor,
    TableDescriptor,
    TableSchema,
)
from pyflink.table.types import RowField, RowType

F = DataTypes.FIELD
ROW = DataTypes.ROW([F("a", DataTypes.INT(), "what it is"), F("b", DataTypes.ARRAY(DataTypes.STRING(False)), "")])
MAKE = {
    "int": lambda: DataTypes.INT(),
    "int not null": lambda: DataTypes.INT().not_null(),
    "string": lambda: DataTypes.STRING(),
    "char": lambda: DataTypes.CHAR(5),
    "varchar": lambda: DataTypes.VARCHAR(5, False),
    "binary": lambda: DataTypes.BINARY(5),
    "bytes": lambda: DataTypes.BYTES(),
    "decimal": lambda: DataTypes.DECIMAL(10, 2),
    "time": lambda: DataTypes.TIME(3),
    "timestamp": lambda: DataTypes.TIMESTAMP(3),
    "timestamp ltz": lambda: DataTypes.TIMESTAMP_LTZ(3),
    "interval": lambda: DataTypes.INTERVAL(DataTypes.DAY(3), DataTypes.SECOND(2)),
    "year to month": lambda: DataTypes.INTERVAL(DataTypes.YEAR(4), DataTypes.MONTH()),
    "array": lambda: DataTypes.ARRAY(DataTypes.INT()),
    "map": lambda: DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
    "multiset": lambda: DataTypes.MULTISET(DataTypes.INT()),
    "row": lambda: ROW,
    "field": lambda: ROW.fields[0],
    "field by name": lambda: ROW["b"],
    "list view": lambda: DataTypes.LIST_VIEW(DataTypes.INT()),
    "map view": lambda: DataTypes.MAP_VIEW(DataTypes.INT(), DataTypes.STRING()),
    "null": lambda: DataTypes.NULL(),
    "raw row": lambda: RowType().add("x", DataTypes.INT()).add(RowField("y", DataTypes.DATE())),
    "row value": lambda: Row(1, "a"),
    "named row value": lambda: Row(a=1, b="x"),
    "row class": lambda: Row("a", "b"),
    "row of class": lambda: Row("a", "b")(1, 2),
    "row in row": lambda: Row(a=Row(1, None), b=[Row(2)]),
    "empty row": lambda: Row(),
    "row kind": lambda: RowKind.UPDATE_BEFORE,
    "row kinds": lambda: list(RowKind),
    "types int": lambda: Types.INT(),
    "types string": lambda: Types.STRING(),
    "types sql": lambda: [Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP()],
    "types row": lambda: Types.ROW([Types.INT(), Types.STRING()]),
    "types named": lambda: Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.LIST(Types.STRING())]),
    "types tuple": lambda: Types.TUPLE([Types.INT(), Types.STRING()]),
    "types map": lambda: Types.MAP(Types.INT(), Types.STRING()),
    "types arrays": lambda: [
        Types.BASIC_ARRAY(Types.INT()),
        Types.PRIMITIVE_ARRAY(Types.INT()),
        Types.OBJECT_ARRAY(Types.STRING()),
    ],
    "types pickled": lambda: Types.PICKLED_BYTE_ARRAY(),
    "types big": lambda: [Types.BIG_INT(), Types.BIG_DEC(), Types.INSTANT(), Types.CHAR()],
    "basic type": lambda: BasicType.LONG,
    "instant": lambda: Instant.of_epoch_milli(1500),
    "instant equal": lambda: Instant.of_epoch_milli(1500) == Instant(1, 500_000_000),
    "time in ms": lambda: Time.seconds(5).to_milliseconds(),
    "time equal": lambda: (Time.seconds(1) == Time.milliseconds(1000), str(Time.seconds(1))),
    "time window": lambda: (TimeWindow(0, 5), TimeWindow(0, 5) == TimeWindow(0, 5), TimeWindow(0, 5).max_timestamp()),
    "count window": lambda: (CountWindow(3), CountWindow(3) == CountWindow(3)),
    "duration equal": lambda: Duration.of_seconds(60) == Duration.of_minutes(1),
    "modes": lambda: [CheckpointingMode.EXACTLY_ONCE, RuntimeExecutionMode.BATCH],
    "table schema": lambda: TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.STRING()]),
    "configuration to dict": lambda: sorted(Configuration().set_string("a", "b").set_integer("c", 1).to_dict().items()),
    "formats": lambda: str(FormatDescriptor.for_format("json").option("a", "b").build()),
    "descriptors equal": lambda: (
        TableDescriptor.for_connector("x").build() == TableDescriptor.for_connector("x").build()
    ),
    "descriptor's parts": lambda: (
        TableDescriptor.for_connector("x").option("k", "v").comment("c").partitioned_by("p").build().get_options(),
        TableDescriptor.for_connector("x").partitioned_by("p").build().get_partition_keys(),
        TableDescriptor.for_connector("x").comment("c").build().get_comment(),
        TableDescriptor.for_connector("x").build().get_schema(),
    ),
    "settings": lambda: EnvironmentSettings.in_batch_mode().is_streaming_mode(),
}
for name, make in MAKE.items():
    try:
        value = make()
        for text in dict.fromkeys((str(value), repr(value))):
            print(f"{name}: {text}")
    except Exception as error:
        print(f"{name}: {type(error).__name__ if type(error).__module__ == 'builtins' else 'an error of the engine'}")
for a, b in (
    (DataTypes.INT(), DataTypes.INT()),
    (ROW, ROW),
    (Row(1), Row(1)),
    (Row(a=1), Row(1)),
):
    print(a == b, hash(a) == hash(b))
