import dataclasses
import datetime as dt
import functools
import typing
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import ScalarFunction, TableFunction, udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
table = env.from_elements([(1, "a")], ["n", "w"])
PAIR = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.BIGINT()), DataTypes.FIELD("y", DataTypes.STRING())])


@dataclasses.dataclass
class Point:
    x: int


class Box(typing.Generic[typing.TypeVar("T")]):
    pass


def show(name, make):
    try:
        print(name)
        table.select(make()(col("n")).alias("a")).execute().print()
    except Exception:
        print("fails")


def of_row(n: int) -> Row:
    return Row(n, "r")


def maybe_row(n: Row | None) -> Row | None:
    return Row(n, "o")


def either(n: "int | str") -> "int | str":
    return n


def point(n: Point) -> Point:
    return n


def box(n) -> Box[int]:
    return n


def np_int(n: np.ndarray) -> np.int64:
    return np.int64(n)


def unknown(n) -> "Not.There":  # noqa: F821
    return n


def number(n) -> Decimal:
    return Decimal(n)


def nothing(n) -> None:
    return n


def callback(n) -> typing.Callable[[int], int]:
    return n


def literal(n) -> typing.Literal["a", 1]:
    return n


def never(n) -> typing.NoReturn:
    return n


def moment(n) -> dt.timedelta:
    return dt.date(2024, 1, n)


def added(more: object, n: object) -> object:
    return n + more


class Method:
    def shown(self, n) -> "Method":
        return n

    def __call__(self, n) -> "Method":
        return n + 1

    @staticmethod
    def plain(n) -> type:
        return n

    @classmethod
    def of(cls, n) -> "typing.Self":
        return n


class Scalar(ScalarFunction):
    def eval(self, n: np.ndarray) -> Point:
        return n


show("row", lambda: udf(of_row, result_type=PAIR))
show("optional row", lambda: udf(maybe_row, result_type=PAIR))
show("union", lambda: udf(either, result_type=DataTypes.BIGINT()))
show("class", lambda: udf(point, result_type=DataTypes.BIGINT()))
show("generic", lambda: udf(box, result_type=DataTypes.BIGINT()))
show("numpy", lambda: udf(np_int, result_type=DataTypes.BIGINT()))
show("unknown", lambda: udf(unknown, result_type=DataTypes.BIGINT()))
show("decimal", lambda: udf(number, result_type=DataTypes.DECIMAL(5, 2)))
show("none", lambda: udf(nothing, result_type="BIGINT"))
show("callable", lambda: udf(callback, [DataTypes.BIGINT()], DataTypes.BIGINT()))
show("literal", lambda: udf(literal, result_type=DataTypes.BIGINT()))
show("never", lambda: udf(never, result_type=DataTypes.BIGINT()))
show("another type", lambda: udf(moment, result_type=DataTypes.DATE()))
show("partial", lambda: udf(functools.partial(added, 5), result_type=DataTypes.BIGINT()))
show("method", lambda: udf(Method().shown, result_type=DataTypes.BIGINT()))
show("object", lambda: udf(Method(), result_type=DataTypes.BIGINT()))
show("static", lambda: udf(Method.plain, result_type=DataTypes.BIGINT()))
show("of the class", lambda: udf(Method.of, result_type=DataTypes.BIGINT()))
show("scalar function", lambda: udf(Scalar(), result_type=DataTypes.BIGINT()))
show("decorator", lambda: udf(result_type=DataTypes.BIGINT())(point))


class Split(TableFunction):
    def eval(self, n: Point) -> typing.Generator[Point, None, Box[int]]:
        yield n, "s"


def rows(n) -> Iterator[Row]:
    yield Row(n, "i")


def listed(n) -> list:
    return [(n, "l")]


for name, made in (
    ("table function", udtf(Split(), result_types=[DataTypes.BIGINT(), DataTypes.STRING()])),
    ("rows", udtf(rows, result_types=[DataTypes.BIGINT(), DataTypes.STRING()])),
    ("list", udtf(listed, result_types=["BIGINT", "STRING"])),
):
    print(name)
    table.join_lateral(made(col("n")).alias("x", "y")).select(col("x"), col("y")).execute().print()
