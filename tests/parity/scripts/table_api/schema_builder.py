from pyflink.table import DataTypes, Schema
from pyflink.table.expressions import col

schema = (
    Schema.new_builder()
    .column("id", DataTypes.INT().not_null())
    .column("name", "STRING")
    .column("ts", DataTypes.TIMESTAMP(3))
    .column_by_expression("upper", "UPPER(name)")
    .column_by_expression("more", col("id") + 1)
    .column_by_metadata("offset", DataTypes.BIGINT(), None, True)
    .column_by_metadata("at", DataTypes.TIMESTAMP_LTZ(3), "timestamp")
    .watermark("ts", "ts - INTERVAL '5' SECOND")
    .primary_key("id")
    .build()
)
print(schema)
print(schema == Schema.new_builder().from_schema(schema).build())
print(Schema.new_builder().build())
print(Schema.new_builder().column("a", "INT").primary_key_named("pk", "a").build())
print(Schema.new_builder().column("a b", "ROW<x INT, `y z` STRING>").build())
