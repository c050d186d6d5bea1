import datetime as dt
from array import array
from decimal import Decimal

from pyflink.common import Row
from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
ONE = {
    "int": 1,
    "large int": 2**40,
    "float": 1.5,
    "bool": True,
    "text": "a",
    "bytearray": bytearray(b"a"),
    "decimal": Decimal("1.50"),
    "date": dt.date(2024, 1, 2),
    "time": dt.time(1, 2, 3),
    "datetime": dt.datetime(2024, 1, 2, 3, 4, 5, 6),
    "none": None,
    "list": [1, 2],
    "list of lists": [[1], [2, 3]],
    "list of floats": [1.5, None],
    "list of none": [None],
    "empty list": [],
    "list of dicts": [{"a": 1}],
    "dict": {"a": 1},
    "dict of lists": {"a": [1.5]},
    "empty dict": {},
    "dict of none": {"a": None},
    "dict whose first value is none": {"a": None, "b": 2},
    "tuple": (1, "a"),
    "row": Row(1, "a"),
    "named row": Row(x=1, y="a"),
    **{f"array of {code}": array(code, [1, 2]) for code in "bBhHiIlfd"},
    "object": object(),
    "set": {1},
    "complex": 1j,
}
MANY = {
    "int and none": [(1, None), (None, "a")],
    "none alone": [(None,), (None,)],
    "int and float": [(1,), (1.5,)],
    "int and text": [(1,), ("a",)],
    "int and bool": [(1,), (True,)],
    "list of ints and none": [([1],), (None,), ([None],)],
    "list of nothing and of ints": [([],), ([1],)],
    "dicts of different keys": [({"a": 1},), ({"b": None},)],
    "dicts of none and int": [({"a": None},), ({"a": 1},)],
    "rows": [Row(a=1, b="x"), Row(a=2, b="y")],
    "rows of other names": [Row(a=1, b="x"), Row(b="y", c=2)],
    "different lengths": [(1, "a"), (2,)],
    "lists as rows": [[1, "a"], [2, "b"]],
    "values that are no rows": [1, 2],
    "texts that are no rows": ["a", "b"],
    "nothing": [],
    "nested rows": [(Row(1, "a"),), (Row(2, None),)],
    "rows inside with none": [(Row(None, "a"),), (Row(2, None),)],
    "decimals": [(Decimal("1.5"),), (Decimal("100.25"),)],
    "date and datetime": [(dt.date(2024, 1, 1),), (dt.datetime(2024, 1, 1),)],
}


def shown(name, rows, *schema):
    try:
        found = t_env.from_elements(rows, *schema).get_schema()
        print(name, "|", found.get_field_names(), [str(each) for each in found.get_field_data_types()])
        print(name, "|", found.get_field_data_types())
    except Exception as error:
        print(name, "| fails", "TypeError" if isinstance(error, TypeError) else "ValueError")


for name, value in ONE.items():
    shown(name, [(value,)])
for name, rows in MANY.items():
    shown(name, rows)
    shown(f"{name}, named", rows, ["a"])
    shown(f"{name}, two names", rows, ["p", "q"])
