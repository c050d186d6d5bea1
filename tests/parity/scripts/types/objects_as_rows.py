import dataclasses

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

INT, TEXT = Types.INT(), Types.STRING()
NAMED = Types.ROW_NAMED(["name", "age"], [TEXT, INT])


class Person:
    kind = "human"

    def __init__(self, name, age):
        self.name, self.age = name, age


class Slots:
    __slots__ = ("age", "name")

    def __init__(self):
        self.name, self.age = "s", 1


@dataclasses.dataclass
class Data:
    name: str
    age: int


def case(name, record, kind):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        env.from_collection([record], kind).map(repr, TEXT).print()
        env.execute()
    except Exception:
        print("fails", flush=True)


older = Person("a", 1)
older.more = 5
younger = Person("a", 1)
del younger.age
case("object", Person("a", 1), NAMED)
case("dataclass", Data("a", 1), NAMED)
case("None in it", Person(None, None), NAMED)
case("more attributes", older, NAMED)
case("fewer attributes", younger, NAMED)
case("no attribute", Data("a", 1), Types.ROW_NAMED(["x"], [INT]))
case("of its class", Person("a", 1), Types.ROW_NAMED(["kind"], [TEXT]))
case("a row without names", Person("a", 1), Types.ROW([TEXT, INT]))
case("slots", Slots(), NAMED)
case("dict", {"age": 1, "name": "a"}, NAMED)
case("dict with fewer", {"name": "a"}, NAMED)
case("dict with more", {"name": "a", "age": 1, "more": 2}, NAMED)
case("empty dict", {}, NAMED)
case("Row with names in another order", Row(age=1, name="a"), NAMED)
case("inside a row", (1, Person("a", 1)), Types.ROW_NAMED(["id", "person"], [INT, NAMED]))
case("inside a tuple", (1, Person("a", 1)), Types.TUPLE([INT, NAMED]))
case("inside an object", Person(Person("a", 1), 2), Types.ROW_NAMED(["name", "age"], [NAMED, INT]))
case("inside a map", {"k": Person("a", 1)}, Types.MAP(TEXT, NAMED))
case("as a tuple", Person("a", 1), Types.TUPLE([TEXT, INT]))
