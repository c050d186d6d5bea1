from pyflink.table import DataTypes

for kind in (
    DataTypes.NULL(),
    DataTypes.CHAR(5),
    DataTypes.VARCHAR(5),
    DataTypes.STRING(),
    DataTypes.BOOLEAN(),
    DataTypes.BINARY(3),
    DataTypes.VARBINARY(3),
    DataTypes.BYTES(),
    DataTypes.DECIMAL(10, 2),
    DataTypes.TINYINT(),
    DataTypes.SMALLINT(),
    DataTypes.INT(),
    DataTypes.BIGINT(),
    DataTypes.FLOAT(),
    DataTypes.DOUBLE(),
    DataTypes.DATE(),
    DataTypes.TIME(),
    DataTypes.TIME(3),
    DataTypes.TIMESTAMP(),
    DataTypes.TIMESTAMP(3),
    DataTypes.TIMESTAMP_LTZ(),
    DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9),
):
    print(repr(kind), kind, kind.type_name())
