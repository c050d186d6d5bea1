from pyflink.table import DataTypes, Schema

row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())])
first = Schema.new_builder().from_row_data_type(row).build()
second = Schema.new_builder().from_fields(["a", "b"], [DataTypes.INT(), DataTypes.STRING()]).build()
print(first)
print(first == second, hash(first) == hash(second), first == "x")
third = Schema.new_builder().from_schema(first).column("c", DataTypes.DOUBLE()).primary_key("a").build()
print(third)
print(third == first)
