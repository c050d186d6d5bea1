from pyflink.common import Row

first = Row(1, "a")
named = Row(name="ann", age=3)
Person = Row("name", "age")
print(first, named, Person("bob", 4), repr(named), first == Row(1, "a"), named.as_dict(), len(first))
print(
    named.name,
    named["age"],
    first[1],
    "name" in named,
    list(first),
    first.get_row_kind(),
    hash(first) == hash(Row(1, "a")),
)
