from pyflink.table import DataTypes, TableSchema

schema = TableSchema(["a", "b"], [DataTypes.INT(), DataTypes.STRING().not_null()])
print(schema)
print(repr(schema))
print(schema.get_field_names(), schema.get_field_count(), schema.get_field_data_types())
print(schema.get_field_name(0), schema.get_field_name(5), schema.get_field_name(-1))
print(schema.get_field_data_type(1), schema.get_field_data_type("a"), schema.get_field_data_type("c"))
print(schema.get_field_data_type(9))
print(schema.to_row_data_type())
print(schema.copy() == schema, schema.copy() is schema, schema == 1)
print(schema == TableSchema.builder().field("a", DataTypes.INT()).field("b", DataTypes.STRING().not_null()).build())
print(hash(schema) == hash(schema.copy()))


def refused(make):
    try:
        print(make())
    except TypeError as error:
        print("TypeError", str(error)[:20])
    except Exception:
        print("refused")


refused(lambda: TableSchema(["a"], []))
refused(lambda: TableSchema(["a", "a"], [DataTypes.INT(), DataTypes.INT()]))
refused(lambda: schema.get_field_data_type(1.5))
