from pyflink.table import DataTypes
from pyflink.table.catalog import Column, ResolvedSchema

columns = [
    Column.physical("a", DataTypes.INT().not_null()),
    Column.physical("b", DataTypes.STRING()),
    Column.metadata("c", DataTypes.BIGINT(), "offset", True),
    Column.metadata("d", DataTypes.TIMESTAMP(3), None, False),
]
schema = ResolvedSchema.of(columns)
print(schema)
print(schema.get_column_count(), schema.get_column_names())
print(schema.get_column_data_types())
print(schema.get_column(0), schema.get_column("b"), schema.get_column("nothing"), schema.get_column(9))
print(schema.get_primary_key(), schema.get_watermark_specs())
print(repr(schema.to_source_row_data_type()))
print(repr(schema.to_physical_row_data_type()))
print(repr(schema.to_sink_row_data_type()))
print(ResolvedSchema.of(columns[:2]) == ResolvedSchema.of(columns[:2]), ResolvedSchema.of(columns) == schema)
print(ResolvedSchema.physical(["x", "y"], [DataTypes.INT(), DataTypes.DOUBLE()]))
print([str(column) for column in schema.get_columns()])
