from pyflink.table import DataTypes


def refused(make):
    try:
        print(repr(make()))
    except Exception:
        print("refused")


refused(lambda: DataTypes.DECIMAL(0, 0))
refused(lambda: DataTypes.DECIMAL(39, 0))
refused(lambda: DataTypes.DECIMAL(5, 6))
refused(lambda: DataTypes.DECIMAL(38, 38))
refused(lambda: DataTypes.TIME(10))
refused(lambda: DataTypes.TIME(9))
refused(lambda: DataTypes.TIMESTAMP(-1))
refused(lambda: DataTypes.TIMESTAMP(10))
refused(lambda: DataTypes.TIMESTAMP_LTZ(10))
refused(lambda: DataTypes.ARRAY(int))
refused(lambda: DataTypes.MAP(DataTypes.INT(), "INT"))
refused(lambda: DataTypes.MULTISET(None))
refused(lambda: DataTypes.ROW([DataTypes.INT()]))
refused(lambda: DataTypes.FIELD("a", "INT"))
refused(lambda: DataTypes.CHAR())
refused(lambda: DataTypes.INTERVAL(DataTypes.MONTH(), DataTypes.DAY()))
refused(lambda: DataTypes.INTERVAL(DataTypes.SECOND(10)))
refused(lambda: DataTypes.INTERVAL(DataTypes.DAY(7)))
refused(lambda: DataTypes.INTERVAL(DataTypes.YEAR(5)))
