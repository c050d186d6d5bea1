from pyflink.table import DataTypes
from pyflink.table.types import RowField, RowType


def refused(make):
    try:
        print(make())
    except Exception as error:
        print("refused", isinstance(error, (KeyError, IndexError, TypeError, ValueError)))


row = RowType()
row.add("a", DataTypes.INT()).add("b", DataTypes.STRING())
row.add(RowField("c", DataTypes.DOUBLE()))
print(repr(row))
print(row["a"], row[1], row[0:2])
print([repr(field) for field in row])
print(len(row), row.names, row.field_names())
field = DataTypes.FIELD("x", DataTypes.INT(), "about x")
print(field, repr(field), field.name, field.data_type, field.description)
print(field == DataTypes.FIELD("x", DataTypes.INT(), "about x"), field == DataTypes.FIELD("x", DataTypes.INT()))
refused(lambda: row["nothing"])
refused(lambda: row[7])
refused(lambda: row.add("d"))
print(DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())]) == RowType().add("a", DataTypes.INT()))
