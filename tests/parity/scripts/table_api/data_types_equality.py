from pyflink.table import DataTypes

print(DataTypes.INT() == DataTypes.INT(), DataTypes.INT() == DataTypes.BIGINT())
print(DataTypes.INT() == DataTypes.INT(False), DataTypes.INT().not_null() == DataTypes.INT(False))
print(DataTypes.INT().not_null().nullable() == DataTypes.INT())
print(DataTypes.VARCHAR(3) == DataTypes.VARCHAR(4), DataTypes.VARCHAR(2147483647) == DataTypes.STRING())
print(DataTypes.DECIMAL(10, 2) == DataTypes.DECIMAL(10, 2), DataTypes.DECIMAL(10, 2) == DataTypes.DECIMAL(10, 3))
print(DataTypes.ARRAY(DataTypes.INT()) == DataTypes.ARRAY(DataTypes.INT()))
print(DataTypes.ARRAY(DataTypes.INT()) == DataTypes.ARRAY(DataTypes.INT().not_null()))
first = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])
second = DataTypes.ROW([DataTypes.FIELD("b", DataTypes.INT())])
print(first == first, first == second, first != second)
print(DataTypes.INT() == "INT", DataTypes.INT() != None, hash(DataTypes.INT()) == hash(DataTypes.INT()))  # noqa: E711
print(len({DataTypes.INT(), DataTypes.INT(), DataTypes.BIGINT(), DataTypes.ARRAY(DataTypes.INT())}))
kind = DataTypes.STRING()
other = kind.not_null()
print(repr(kind), repr(other), kind is other, kind.nullable() is kind)
