from pyflink.table import DataTypes

for kind in (
    DataTypes.INTERVAL(DataTypes.YEAR()),
    DataTypes.INTERVAL(DataTypes.YEAR(4)),
    DataTypes.INTERVAL(DataTypes.MONTH()),
    DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.MONTH()),
):
    print(repr(kind), kind, kind.resolution, kind.precision)
for kind in (
    DataTypes.INTERVAL(DataTypes.DAY()),
    DataTypes.INTERVAL(DataTypes.DAY(6), DataTypes.HOUR()),
    DataTypes.INTERVAL(DataTypes.DAY(3), DataTypes.SECOND(9)),
    DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.MINUTE()),
    DataTypes.INTERVAL(DataTypes.HOUR()),
    DataTypes.INTERVAL(DataTypes.HOUR(), DataTypes.MINUTE()),
    DataTypes.INTERVAL(DataTypes.HOUR(), DataTypes.SECOND(3)),
    DataTypes.INTERVAL(DataTypes.MINUTE()),
    DataTypes.INTERVAL(DataTypes.MINUTE(), DataTypes.SECOND(0)),
    DataTypes.INTERVAL(DataTypes.SECOND(3)),
):
    print(repr(kind), kind.resolution, kind.day_precision, kind.fractional_precision)
print(DataTypes.INTERVAL(DataTypes.DAY()) == DataTypes.INTERVAL(DataTypes.DAY(2)))
