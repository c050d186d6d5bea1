from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.types import UserDefinedType


class PointType(UserDefinedType):
    @classmethod
    def sql_type(cls):
        return DataTypes.ARRAY(DataTypes.DOUBLE(False))

    @classmethod
    def module(cls):
        return "__main__"

    @classmethod
    def java_udt(cls):
        return ""

    def serialize(self, obj):
        return [obj.x, obj.y]

    def deserialize(self, datum):
        return Point(datum[0], datum[1])


class Point:
    __UDT__ = PointType()

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x},{self.y})"

    def __eq__(self, other):
        return type(other) is type(self) and (other.x, other.y) == (self.x, self.y)

    __hash__ = None


kind = PointType()
print(repr(kind), str(kind), kind == PointType(), kind != PointType(), kind.type_name())
print(kind.to_sql_type(Point(1.0, 2.0)), kind.from_sql_type([1.0, 2.0]), kind.need_conversion())
row = DataTypes.ROW([DataTypes.FIELD("name", DataTypes.STRING()), DataTypes.FIELD("point", PointType())])
print(row)
print(row.to_sql_type(Row("a", Point(1.0, 2.0))))
print(row.from_sql_type(("a", [1.0, 2.0])))
print(row.need_conversion(), DataTypes.ARRAY(PointType()).need_conversion())
print(DataTypes.ARRAY(PointType()).to_sql_type([Point(1.0, 2.0)]))
print(DataTypes.MAP(DataTypes.STRING(), PointType()).from_sql_type({"k": [1.0, 2.0]}))
t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
table = t_env.from_elements([Row("a", Point(1.0, 2.0)), Row("b", Point(3.0, 4.0))], row)
print(table.get_schema().get_field_data_types())
with table.execute().collect() as rows:
    print([str(each) for each in rows])
