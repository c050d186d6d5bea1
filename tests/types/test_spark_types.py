"""Types as Spark's and back. No JVM runs."""

import pytest
from hypothesis import given
from pyspark.sql import types as spark

from datastream.errors import ValidationError
from datastream.spark.types import from_spark_type, to_spark_type
from datastream.types import DecimalTypeInfo, TypeInformation, Types
from tests.support.draws import draws
from tests.support.formats.strategies import types


@draws(1000)
@given(types(pickled=True, empty_rows=True))
def test_types_come_back_with_the_same_spark_type(kind):
    there = to_spark_type(kind)
    back = from_spark_type(there)
    assert to_spark_type(back) == there
    assert repr(from_spark_type(to_spark_type(back))) == repr(back)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Types.CHAR(), "string"),
        (Types.BIG_INT(), "decimal(38,0)"),
        (Types.BIG_DEC(), "decimal(38,18)"),
        (DecimalTypeInfo(10, 2), "decimal(10,2)"),
        (Types.SQL_TIME(), "time(6)"),
        (Types.LOCAL_DATE_TIME(), "timestamp_ntz"),
        (Types.INSTANT(), "timestamp"),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), "binary"),
        (Types.PICKLED_BYTE_ARRAY(), "binary"),
        (Types.BASIC_ARRAY(Types.BYTE()), "array<tinyint>"),
        (Types.MAP(Types.STRING(), Types.TUPLE([Types.INT()])), "map<string,struct<f0:int>>"),
        (Types.ROW_NAMED(["a", "b"], [Types.SHORT(), Types.FLOAT()]), "struct<a:smallint,b:float>"),
    ],
)
def test_names(kind, text):
    assert to_spark_type(kind).simpleString() == text


def test_types_of_spark():
    assert from_spark_type(spark.VarcharType(3)) == Types.STRING()
    assert from_spark_type(spark.DecimalType(10, 0)) == Types.BIG_DEC()


def test_types_without_counterparts():
    class Own(TypeInformation):
        pass

    with pytest.raises(ValidationError, match="has no Spark type"):
        to_spark_type(Own())
    for kind in (spark.VariantType(), spark.DayTimeIntervalType()):
        with pytest.raises(ValidationError, match="has no counterpart"):
            from_spark_type(kind)
    twice = spark.StructType([spark.StructField("a", spark.LongType())] * 2)
    with pytest.raises(ValidationError, match="must differ"):
        from_spark_type(twice)
