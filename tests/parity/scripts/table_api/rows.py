from pyflink.common import Row, RowKind

row = Row(1, "a", None)
print(row, repr(row), len(row), row[0], row[1:], list(row))
print(row.get_row_kind(), row == Row(1, "a", None), row == (1, "a", None))
row.set_row_kind(RowKind.UPDATE_BEFORE)
print(row, row.get_row_kind(), row == Row(1, "a", None))
named = Row(name="x", age=3)
print(named, named.name, named["age"], named.as_dict(), "name" in named)
person = Row("name", "age")
print(person, person("y", 4), person("y", 4).age, person("z", 5).as_dict())
print(Row(1, Row(2, [3])), Row(a=Row(b=1)).as_dict(True))
named.age = 7
named[0] = "w"
print(named)
print(named.get_fields_by_names(["age"]), hash(Row(1, 2)) == hash(Row(1, 2)), {Row(1): 2}[Row(1)])


def refused(make):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__)


refused(lambda: named.nothing)
refused(lambda: named["nothing"])
refused(lambda: Row(1)[3])
refused(lambda: Row(1, a=2))
refused(lambda: person(1, 2, 3))
refused(lambda: Row(1).as_dict())
