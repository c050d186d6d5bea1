from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor


class Pairs:
    def __iter__(self):
        return iter([("o", 1), ("p", 2)])


class Try(KeyedProcessFunction):
    def open(self, runtime_context):
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.STRING(), Types.LONG()))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.LONG()))

    def process_element(self, value, ctx):
        made = {"a": 1, "b": 2}
        for name, pairs in (
            ("items", made.items()),
            ("list", [("c", 3)]),
            ("tuple", (("d", 4), ("e", 5))),
            ("generator", ((key, 6) for key in "fg")),
            ("zip", zip("hi", (7, 8), strict=True)),
            ("map", map(lambda key: (key, 9), "j")),
            ("lists", [["k", 10]]),
            ("set", {("l", 11)}),
            ("enumerated", ((str(i), i) for i, _ in enumerate("xy"))),
            ("object", Pairs()),
            ("nothing", []),
            ("twice", [("a", 100), ("a", 101)]),
        ):
            self.map.put_all(pairs)
            yield f"{name} {sorted(self.map.items())}"
        yield f"{next(iter(self.map.keys())) in self.map} {self.map.contains('nowhere')}"
        yield f"{type(next(iter(self.map.items()))).__name__} {sum(self.map.values())} {max(self.map.keys())}"
        yield f"{sorted(key for key in self.map)} {dict(self.map.items())['a']} {set(self.map.keys()) >= {'a'}}"
        first, *others = sorted(self.map.keys())
        yield f"{first} {len(others)} {list(zip(sorted(self.map.keys()), [1], strict=False))} {'a' in list(self.map.keys())}"
        for size in (0, 1, 999, 1000, 1001, 2500):
            self.list.update(list(range(size)))
            yield f"{size}: {sum(self.list.get())} {len(list(self.list.get()))} {sorted(self.list.get())[-2:]} {5 in list(self.list.get())}"
            self.list.add_all([7, 8])
            self.list.add(9)
            *_, last = self.list.get()
            yield f"{last} {[each for each in self.list.get()][:2]} {max(iter(self.list.get()))} {tuple(self.list.get())[-3:]}"
            self.map.clear()
            self.map.put_all((str(i), i) for i in range(size))
            yield f"{sum(self.map.values())} {sum(1 for _ in self.map.keys())} {len(list(self.map.items()))}"  # noqa: SIM118
        self.list.clear()
        yield f"{list(self.list.get() or [])}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1]).key_by(lambda d: 0).process(Try(), output_type=Types.STRING()).print()
env.execute()
