from pyflink.table import DataTypes

array = DataTypes.ARRAY(DataTypes.INT())
mapping = DataTypes.MAP(DataTypes.STRING(), DataTypes.ARRAY(DataTypes.DOUBLE()))
for kind in (array, mapping, DataTypes.MULTISET(DataTypes.STRING()), array.not_null(), mapping.not_null()):
    print(repr(kind), kind)
print(array.element_type, mapping.key_type, mapping.value_type)
row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", array, "a list")])
print(repr(row))
print(row)
print(row.not_null())
print(row.names, row.fields)
print(row.field_names(), row.field_types(), len(row))
print(repr(DataTypes.LIST_VIEW(DataTypes.INT())), repr(DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.INT())))
