from pyflink.table import DataTypes
from pyflink.table.catalog import Column

physical = Column.physical("a", DataTypes.INT())
metadata = Column.metadata("m", DataTypes.BIGINT(), "key", True)
for column in (physical, metadata, Column.metadata("n", DataTypes.STRING(), None, False)):
    print(column, column.get_name(), column.is_physical(), column.is_persisted(), column.get_comment())
print(physical.as_summary_string())
print(metadata.is_virtual(), metadata.get_metadata_key())
print(physical.with_comment("why"))
print(physical.rename("b"))
print(physical == Column.physical("a", DataTypes.INT()), physical == metadata)
print(type(physical).__name__, type(metadata).__name__, hash(physical) == hash(Column.physical("a", DataTypes.INT())))
