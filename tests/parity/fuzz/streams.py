"""Draws programs of the DataStream API."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.parity.fuzz.program import Draw, Program

#: Kind of a field -> how a value of it is drawn, its type, and what a function may make of it: {0} is the value.
_VALUES = {
    "int": ["0", "1", "2", "3", "5", "7", "-4", "100", "12"],
    "float": ["0.0", "1.5", "-2.25", "3.0", "1000000.0", "12345678.5", "0.5"],
    "str": ["'a'", "'b'", "'c'", "''", "'to be'", "'Hello World'", "'é'", "'a,b'", "'x'"],
    "bool": ["True", "False"],
    "dec": ["Decimal('1.50')", "Decimal('-3')", "Decimal('0.001')", "Decimal('12.5')"],
    "date": ["datetime.date(2024, 1, 31)", "datetime.date(1999, 12, 1)", "datetime.date(2020, 2, 29)"],
    "datetime": ["datetime.datetime(2024, 1, 31, 10, 11, 12)", "datetime.datetime(2020, 2, 29, 0, 0, 0, 123000)"],
    "ints": ["[1, 2, 3]", "[]", "[7]", "[5, 5]"],
    "strs": ["['a', 'b']", "[]", "['to', 'be', 'to']"],
    "map": ["{'a': 1}", "{'k': 5, 'l': -2}", "{}"],
    "pair": ["(1, 'x')", "(2, 'y')"],
}
_TYPES = {
    "int": ["Types.INT()", "Types.LONG()", "Types.LONG()", "Types.SHORT()", "Types.BYTE()"],
    "float": ["Types.DOUBLE()", "Types.DOUBLE()", "Types.FLOAT()"],
    "str": ["Types.STRING()"],
    "bool": ["Types.BOOLEAN()"],
    "dec": ["Types.BIG_DEC()"],
    "date": ["Types.SQL_DATE()"],
    "datetime": ["Types.SQL_TIMESTAMP()"],
    "ints": ["Types.LIST(Types.INT())", "Types.BASIC_ARRAY(Types.LONG())", "Types.PRIMITIVE_ARRAY(Types.INT())"],
    "strs": ["Types.LIST(Types.STRING())", "Types.BASIC_ARRAY(Types.STRING())", "Types.OBJECT_ARRAY(Types.STRING())"],
    "map": ["Types.MAP(Types.STRING(), Types.INT())"],
    "pair": [
        "Types.TUPLE([Types.INT(), Types.STRING()])",
        "Types.ROW([Types.INT(), Types.STRING()])",
        "Types.ROW_NAMED(['p', 'q'], [Types.LONG(), Types.STRING()])",
    ],
}
_EXPRESSIONS = {
    "int": {
        "int": ["{0} + 1", "{0} * 2", "-{0}", "{0} // 2", "{0} % 3", "abs({0})", "{0}", "max({0}, 1)"],
        "str": ["len({0})", "{0}.count('a')"],
        "float": ["int({0})", "round({0}) % 100"],
        "bool": ["int({0})"],
        "ints": ["len({0})", "sum({0})"],
        "strs": ["len({0})"],
        "map": ["len({0})", "sum({0}.values())"],
        "pair": ["{0}[0]"],
        "date": ["{0}.year", "{0}.toordinal() % 1000"],
        "datetime": ["{0}.day", "{0}.hour"],
    },
    "float": {
        "int": ["{0} / 2", "float({0})", "{0} * 0.5"],
        "float": ["{0}", "{0} / 4", "{0} + 0.5", "-{0}"],
        "dec": ["float({0})"],
    },
    "str": {
        "int": ["str({0})", "'n' + str({0})", "'%s!' % ({0},)", "'x' * ({0} % 3)"],
        "str": ["{0}", "{0}.upper()", "{0} + '!'", "{0}[:2]", "{0}[::-1]", "{0}.replace('a', 'bb')", "{0}.title()"],
        "float": ["str({0})", "'%.2f' % {0}"],
        "bool": ["str({0})"],
        "ints": ["str(list({0}))"],
        "strs": ["'-'.join({0})"],
        "map": ["str(sorted({0}.items()))"],
        "pair": ["{0}[1]"],
        "dec": ["str({0})"],
        "date": ["{0}.isoformat()"],
        "datetime": ["{0}.strftime('%Y/%m/%d %H')", "str({0})"],
    },
    "bool": {
        "int": ["{0} > 1", "{0} % 2 == 0", "{0} != 3"],
        "str": ["{0}.startswith('a')", "len({0}) > 1", "'b' in {0}", "bool({0})"],
        "float": ["{0} > 1.0", "{0} < 100"],
        "bool": ["{0}", "not {0}"],
        "ints": ["5 in {0}", "len({0}) > 1"],
        "strs": ["'to' in {0}"],
        "map": ["'k' in {0}"],
        "date": ["{0}.year > 2000"],
        "dec": ["{0} > 1"],
    },
    "dec": {"dec": ["{0}", "{0} + 1", "{0} * 2"], "int": ["Decimal({0})"]},
    "date": {"date": ["{0}", "{0} + datetime.timedelta(days=1)"], "datetime": ["{0}.date()"]},
    "datetime": {"datetime": ["{0}", "{0} + datetime.timedelta(hours=2)"]},
    "ints": {"ints": ["list({0}) + [1]", "[i * 2 for i in {0}]"], "int": ["[{0}]", "[{0}, {0} + 1]"]},
    "strs": {"strs": ["list({0})"], "str": ["{0}.split(' ')", "[{0}]"]},
    "map": {"map": ["{0}", "{{k + 'k': n for k, n in {0}.items()}}"], "str": ["{{{0}: 1}}"]},
    "pair": {"pair": ["({0}[0] + 1, {0}[1])"], "str": ["(len({0}), {0})"]},
}
_SMALL = {"Types.BYTE()", "Types.SHORT()"}


@dataclass
class Shape:
    """What records look like.

    Attributes:
        kinds: The kind of each field; of one for records that are no tuples or rows.
        form: ``tuple``, ``row``, ``named`` or ``scalar``.
        types: The type of each field, or None for pickled records.
        names: Names of a named row's fields.
        time: The place of a field with milliseconds.
    """

    kinds: list[str]
    form: str
    types: list[str] | None = None
    names: list[str] = field(default_factory=list)
    time: int | None = None

    def type_info(self) -> str | None:
        if self.types is None:
            return None
        fields = ", ".join(self.types)
        return {
            "scalar": fields,
            "tuple": f"Types.TUPLE([{fields}])",
            "row": f"Types.ROW([{fields}])",
            "named": f"Types.ROW_NAMED({self.names}, [{fields}])",
        }[self.form]

    def value(self, fields: list[str]) -> str:
        """A record of such fields, as Python writes it."""
        if self.form == "scalar":
            return fields[0]
        if self.form == "tuple":
            return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
        if self.form == "row":
            return f"Row({', '.join(fields)})"
        return f"Row({', '.join(f'{name}={text}' for name, text in zip(self.names, fields, strict=True))})"


class Streams:
    """Draws one program."""

    def __init__(self, name: str) -> None:
        self.draw = Draw(name)
        self.name = name
        self.parts: list[str] = []
        self.ordered = True
        self.alone = False
        self.batch = False
        self.timed = False

    def program(self) -> Program:
        draw = self.draw
        shape = self.source("s", timed=draw.chance() < 0.5)
        steps = {
            self.map: 4.0, self.filter: 2, self.flat_map: 2, self.reduce: 2, self.keyed: 4, self.window: 4, self.count: 1,
            self.process: 1.5, self.union: 1, self.connect: 1.5, self.broadcast: 1, self.project: 0.5, self.partition: 0.5,
            self.table: 0.5,
        }  # fmt: skip
        for _ in range(draw.whole(1, 4)):
            shape = draw.weighted(steps)(shape)
        self.sink(shape)
        order = "lines" if self.ordered else "any"
        return Program(self.name, tuple(self.parts), self.batch, order, self.alone)

    # sources and sinks

    def shape(self, timed: bool = False) -> Shape:
        """A drawn one; where timed, with milliseconds in its last field."""
        draw = self.draw
        form = draw.weighted({"tuple": 4, "named": 2, "row": 1, "scalar": 0 if timed else 1.5})
        common = {"int": 4, "str": 4, "float": 1.5, "bool": 0.5, "ints": 0.5, "strs": 0.5, "map": 0.4, "dec": 0.4, "date": 0.4, "datetime": 0.4, "pair": 0.4}  # fmt: skip
        count = 1 if form == "scalar" else draw.whole(2, 4)
        kinds = [draw.weighted(common) for _ in range(count)]
        if form != "scalar":
            kinds[0] = draw.weighted({"str": 3, "int": 2, "bool": 0.3})
            kinds[1] = draw.weighted({"int": 4, "float": 1})
        if timed:
            kinds.append("int")
        typed = draw.chance() < 0.7 or form in ("named", "row")
        types = [draw.one(_TYPES[kind]) for kind in kinds] if typed else None
        if types and timed:
            types[-1] = "Types.LONG()"
        if types and form != "scalar" and kinds[1] == "int":
            types[1] = draw.one(["Types.INT()", "Types.LONG()"])
        names = draw.some(["id", "n", "word", "city", "amount", "ok", "x"], len(kinds), len(kinds))
        return Shape(kinds, form, types, names, len(kinds) - 1 if timed else None)

    def source(self, name: str, timed: bool = False, shape: Shape | None = None) -> Shape:
        draw = self.draw
        shape = shape or self.shape(timed)
        rows = []
        now = draw.one([0, 1000, 86_000_000])
        for _ in range(draw.whole(2, 9)):
            fields = [draw.one(_VALUES[kind][: 4 if i == 0 else 9]) for i, kind in enumerate(shape.kinds)]
            if shape.time is not None:
                fields[shape.time] = str(now)
                now += draw.one([1, 500, 1000, 3000, 7000, 20000])
            rows.append(shape.value(fields))
        if shape.time is not None and draw.chance() < 0.3:
            draw.random.shuffle(rows)
        info = shape.type_info()
        self.parts += [f"rows_{name} = []", *(f"rows_{name}.append({row})" for row in rows)]
        typed = f", type_info={info}" if info else ""
        self.parts.append(f"{name} = env.from_collection(rows_{name}{typed})")
        if shape.time is not None:
            self.stamp(name, shape)
        return shape

    def stamp(self, name: str, shape: Shape) -> None:
        clock = self.draw.name("Clock")
        self.parts.append(
            f"class {clock}(TimestampAssigner):\n"
            f"    def extract_timestamp(self, value, record_timestamp):\n        return value[{shape.time}]"
        )
        bound = "for_bounded_out_of_orderness(Duration.of_days(1))"
        self.parts.append(
            f"{name} = {name}.assign_timestamps_and_watermarks("
            f"WatermarkStrategy.{bound}.with_timestamp_assigner({clock}()))"
        )

    def sink(self, shape: Shape) -> None:
        draw = self.draw
        if draw.chance() < 0.06 and not self.batch:
            self.alone = True
            # PyFlink runs what it collects alone.
            self.parts = [part for part in self.parts if ".print(" not in part]
            self.parts.append(
                "with s.execute_and_collect() as results:\n    for each in results:\n        print(repr(each))"
            )
            return
        if draw.chance() < 0.2:
            self.parts.append("s = s.map(lambda v: repr(v), output_type=Types.STRING())")
        elif shape.form == "scalar" and shape.kinds[0] in ("ints", "strs"):
            # Flink prints the address of an array alone.
            self.parts.append("s = s.map(lambda v: str(list(v)), output_type=Types.STRING())")
        self.parts.append("s.print(label)")

    # stateless steps

    def get(self, shape: Shape, i: int, v: str = "v") -> str:
        """Access to a field of `v`."""
        if shape.form == "scalar":
            return v
        if shape.form == "named" and shape.types is not None:
            return self.draw.one([f"{v}[{i}]", f"{v}.{shape.names[i]}", f"{v}['{shape.names[i]}']"])
        return f"{v}[{i}]"

    def expression(self, shape: Shape, kind: str | None = None) -> tuple[str, str]:
        """Kind and text of an expression of one field of `v`."""
        draw = self.draw
        for _ in range(20):
            i = draw.whole(0, len(shape.kinds) - 1)
            wanted = kind or draw.weighted({shape.kinds[i]: 3, "int": 1, "str": 2, "float": 1, "bool": 0.5, "strs": 0.4, "ints": 0.4, "map": 0.3})  # fmt: skip
            options = _EXPRESSIONS[wanted].get(shape.kinds[i])
            if options:
                return wanted, draw.one(options).format(self.get(shape, i))
        return kind or "int", {"str": "'s'", "bool": "True"}.get(kind or "int", "1")

    def condition(self, shape: Shape) -> str:
        return self.expression(shape, "bool")[1]

    def target(self, shape: Shape) -> tuple[Shape, str]:
        """A new shape, and the text that makes a record of it from `v`."""
        draw = self.draw
        form = draw.weighted({"tuple": 4, "named": 1.2, "row": 1, "scalar": 1})
        count = 1 if form == "scalar" else draw.whole(2, 3)
        made = [self.expression(shape) for _ in range(count)]
        if form != "scalar":
            made[0] = self.expression(shape, draw.one(["str", "int"]))
            made[1] = self.expression(shape, "int")
        kinds = [kind for kind, _ in made]
        typed = draw.chance() < 0.7 or form == "named"
        types: list[str] | None = [draw.one([t for t in _TYPES[kind] if t not in _SMALL]) for kind in kinds]
        names = draw.some(["a", "b", "c", "key", "total", "w"], len(kinds), len(kinds))
        new = Shape(kinds, form, types if typed else None, names)
        return new, new.value([text for _, text in made])

    def typed(self, shape: Shape, name: str = "output_type") -> str:
        info = shape.type_info()
        return f", {name}={info}" if info else ""

    def map(self, shape: Shape) -> Shape:
        new, text = self.target(shape)
        if self.draw.chance() < 0.25:
            cls = self.draw.name("Mapper")
            self.parts.append(f"class {cls}(MapFunction):\n    def map(self, v):\n        return {text}")
            self.parts.append(f"s = s.map({cls}(){self.typed(new)})")
        else:
            self.parts.append(f"s = s.map(lambda v: {text}{self.typed(new)})")
        return new

    def filter(self, shape: Shape) -> Shape:
        self.parts.append(f"s = s.filter(lambda v: {self.condition(shape)})")
        return shape

    def flat_map(self, shape: Shape) -> Shape:
        draw = self.draw
        new, text = self.target(shape)
        make = draw.name("split")
        count = self.expression(shape, "int")[1]
        body = draw.one([
            f"    for i in range(({count}) % 3):\n        yield {text}",
            f"    return [{text}, {text}]",
            f"    if {self.condition(shape)}:\n        yield {text}",
            f"    if {self.condition(shape)}:\n        return [{text}]\n    return []",
        ])  # fmt: skip
        self.parts.append(f"def {make}(v):\n{body}")
        self.parts.append(f"s = s.flat_map({make}{self.typed(new)})")
        return new

    def project(self, shape: Shape) -> Shape:
        if shape.form != "tuple" or shape.types is None:
            return self.map(shape)
        places = self.draw.some(list(range(len(shape.kinds))))
        self.parts.append(f"s = s.project({', '.join(map(str, places))})")
        return Shape([shape.kinds[i] for i in places], "tuple", [shape.types[i] for i in places])

    def partition(self, shape: Shape) -> Shape:
        how = self.draw.one(["rebalance()", "rescale()", "forward()", "shuffle()", "broadcast()"])
        self.parts.append(f"s = s.{how}")
        return shape

    def process(self, shape: Shape) -> Shape:
        draw = self.draw
        new, text = self.target(shape)
        cls = draw.name("Process")
        if draw.chance() < 0.6:
            self.parts.append(
                f"class {cls}(ProcessFunction):\n    def process_element(self, v, ctx):\n"
                f"        if {self.condition(shape)}:\n            yield {text}"
            )
            self.parts.append(f"s = s.process({cls}(){self.typed(new)})")
            return new
        other, more = self.target(shape)
        tag = draw.name("tag")
        info = other.type_info()
        self.parts.append(f"{tag} = OutputTag('{tag}'{', ' + info if info else ''})")
        self.parts.append(
            f"class {cls}(ProcessFunction):\n    def process_element(self, v, ctx):\n"
            f"        if {self.condition(shape)}:\n            yield {tag}, {more}\n        yield {text}"
        )
        self.parts.append(f"s = s.process({cls}(){self.typed(new)})")
        self.parts.append(f"s.get_side_output({tag}).print(label + '-side')")
        self.ordered = False
        return new

    def table(self, shape: Shape) -> Shape:
        if shape.types is None or shape.form == "scalar" or self.batch or "pair" in shape.kinds:
            return self.map(shape)
        names = [f"c{i}" for i in range(len(shape.kinds))]
        columns = ", ".join(f"col('{name}')" for name in names)
        self.parts.append(f"t = tables.from_data_stream(s, {columns})")
        self.parts.append("s = tables.to_data_stream(t)")
        return Shape(shape.kinds, "named", shape.types, names)

    # keyed steps

    def key(self, shape: Shape, name: str = "s") -> tuple[str, str]:
        """The keyed stream, and the kind of its key."""
        draw = self.draw
        if shape.form == "scalar":
            kind, text = self.expression(shape, draw.one(["int", "str"]))
        else:
            kind, text = shape.kinds[0], self.get(shape, 0)
        if kind not in ("int", "str", "bool"):
            kind, text = "str", f"str({text})"
        typed = f", key_type={_TYPES[kind][-1 if kind != 'int' else 1]}" if draw.chance() < 0.5 else ""
        return f"{name}.key_by(lambda v: {text}{typed})", kind

    def summed(self, shape: Shape) -> str | None:
        """A function that adds up records `a` and `b` of one shape."""
        if shape.form == "scalar":
            return "lambda a, b: a + b" if shape.kinds[0] in ("int", "float", "str", "dec") else None
        fields = []
        for i, kind in enumerate(shape.kinds):
            a, b = self.get(shape, i, "a"), self.get(shape, i, "b")
            small = shape.types is not None and shape.types[i] in _SMALL
            options = {"int": [f"{a} + {b}", f"max({a}, {b})"], "float": [f"{a} + {b}", f"min({a}, {b})"], "str": [a, b, f"max({a}, {b})"]}  # fmt: skip
            fields.append(a if i == 0 or small else self.draw.one(options.get(kind, [a, b])))
        return f"lambda a, b: {shape.value(fields)}"

    def reduce(self, shape: Shape) -> Shape:
        draw = self.draw
        if not self.ordered:
            return self.window(shape) if shape.time is not None else self.filter(shape)
        key, _ = self.key(shape)
        numbers = [i for i, kind in enumerate(shape.kinds) if kind in ("int", "float") and i > 0]
        if shape.form != "scalar" and numbers and draw.chance() < 0.5:
            how = draw.one(["sum", "min", "max", "min_by", "max_by"])
            self.parts.append(f"s = {key}.{how}({draw.one(numbers)})")
            return shape
        function = self.summed(shape)
        if function is None:
            return self.map(shape)
        self.parts.append(f"s = {key}.reduce({function})")
        return shape

    def keyed(self, shape: Shape) -> Shape:
        """A keyed process function, or a function with state."""
        draw = self.draw
        if not self.ordered:
            return self.map(shape)
        key, _ = self.key(shape)
        kind, text = self.expression(shape, draw.one(["int", "str", "int"]))
        typed = draw.one([t for t in _TYPES[kind] if t not in _SMALL] + ["Types.PICKLED_BYTE_ARRAY()"])
        if kind == "int":
            typed = draw.one(["Types.LONG()", "Types.PICKLED_BYTE_ARRAY()"])
        new, emitted = self.target(Shape([kind, "int"], "tuple"))
        cls = draw.name("Keyed")
        start, update, result = self.state(kind, text, typed)
        with_timer = shape.time is not None and draw.chance() < 0.4
        emit = f"v = ({result})\n        yield {emitted}"
        style = draw.one(["process", "process", "map", "flat_map", "filter"]) if not with_timer else "process"
        head = f"class {cls}({{0}}):\n    def open(self, runtime_context):\n{start}\n"
        if style == "filter":
            self.parts.append(
                head.format("FilterFunction")
                + f"    def filter(self, v):\n{update}\n        v = ({result})\n        return v[1] % 2 == 1"
            )
            self.parts.append(f"s = {key}.filter({cls}())")
            return shape
        if style == "map":
            self.parts.append(
                head.format("MapFunction")
                + f"    def map(self, v):\n{update}\n        v = ({result})\n        return {emitted}"
            )
            self.parts.append(f"s = {key}.map({cls}(){self.typed(new)})")
            return new
        if style == "flat_map":
            self.parts.append(head.format("FlatMapFunction") + f"    def flat_map(self, v):\n{update}\n        " + emit)
            self.parts.append(f"s = {key}.flat_map({cls}(){self.typed(new)})")
            return new
        body = f"    def process_element(self, v, ctx):\n{update}\n"
        if with_timer:
            delay = draw.one([0, 1, 1000, 5000])
            register = f"        ctx.timer_service().register_event_time_timer(ctx.timestamp() + {delay})\n"
            if draw.chance() < 0.3:
                register += f"        ctx.timer_service().delete_event_time_timer(ctx.timestamp() - 1000 + {delay})\n"
            if draw.chance() < 0.5:
                register += "        " + emit + "\n"
            shown = "(f'{ctx.get_current_key()} {timestamp}', timestamp % 1000)"
            body += register + f"    def on_timer(self, timestamp, ctx):\n        v = {shown}\n        yield "
            timer, timer_text = new, emitted
            body += timer_text if kind == "str" else emitted.replace("v[0]", "v[1]")
            if draw.chance() < 0.4:
                body += f"\n        v = ({result})\n        yield {emitted}"
            self.ordered = False
            _ = timer
        else:
            body += "        " + emit
        self.parts.append(head.format("KeyedProcessFunction") + body)
        self.parts.append(f"s = {key}.process({cls}(){self.typed(new)})")
        return new

    def state(self, kind: str, text: str, typed: str) -> tuple[str, str, str]:
        """Lines that open a state and update it, and an expression of the kind and a count."""
        draw = self.draw
        zero = {"int": "0", "str": "''"}[kind]
        which = draw.weighted({"value": 2.0, "list": 1.5, "map": 1.5, "reducing": 1, "aggregating": 1})
        if which == "value":
            start = f"        self.state = runtime_context.get_state(ValueStateDescriptor('state', {typed}))"
            update = draw.one([
                f"        old = self.state.value()\n        self.state.update(({text}) if old is None else old + ({text}))",
                f"        if self.state.value() is None:\n            self.state.update({text})",
                f"        old = self.state.value() or {zero}\n        self.state.update({text})\n"
                f"        if old == ({text}):\n            self.state.clear()",
            ])  # fmt: skip
            return start, update, f"self.state.value() or {zero}, int(self.state.value() is None)"
        if which == "list":
            start = f"        self.state = runtime_context.get_list_state(ListStateDescriptor('state', {typed}))"
            update = draw.one([
                f"        self.state.add({text})",
                f"        self.state.add({text})\n        if len(list(self.state.get())) > 2:\n            self.state.clear()",
                f"        self.state.add_all([{text}, {text}])",
                f"        self.state.update((list(self.state.get()) + [{text}])[-2:])",
            ])  # fmt: skip
            return start, update, f"max(self.state.get(), default={zero}), len(list(self.state.get()))"
        if which == "map":
            start = f"        self.state = runtime_context.get_map_state(MapStateDescriptor('state', Types.STRING(), {typed}))"
            update = draw.one([
                f"        self.state.put(str({text}), {text})",
                f"        if self.state.contains(str({text})):\n            self.state.remove(str({text}))\n"
                f"        else:\n            self.state.put(str({text}), {text})",
                f"        self.state.put_all([(str({text}), {text})])\n        if self.state.get('a') is not None:\n"
                f"            self.state.clear()",
            ])  # fmt: skip
            whole = draw.one(["self.state.values()", "[n for _, n in self.state.items()]"])
            return start, update, f"max({whole}, default={zero}), len(list(self.state.keys()))"
        if which == "reducing":
            function = draw.one(["lambda a, b: a + b", "lambda a, b: max(a, b)", "lambda a, b: b"])
            start = f"        self.state = runtime_context.get_reducing_state(ReducingStateDescriptor('state', {function}, {typed}))"
            return start, f"        self.state.add({text})", f"self.state.get() or {zero}, 1"
        cls = draw.name("Aggregate")
        self.parts.append(
            f"class {cls}(AggregateFunction):\n    def create_accumulator(self):\n        return {zero}, 0\n"
            f"    def add(self, value, accumulator):\n        return accumulator[0] + value, accumulator[1] + 1\n"
            f"    def get_result(self, accumulator):\n        return accumulator\n"
            f"    def merge(self, a, b):\n        return a[0] + b[0], a[1] + b[1]"
        )
        start = f"        self.state = runtime_context.get_aggregating_state(AggregatingStateDescriptor('state', {cls}(), Types.PICKLED_BYTE_ARRAY()))"
        return start, f"        self.state.add({text})", f"self.state.get() or ({zero}, 0)"

    # windows

    def window(self, shape: Shape) -> Shape:
        draw = self.draw
        if shape.time is None:
            return self.count(shape)
        stream = self.key(shape)[0]
        window = draw.one([
            "TumblingEventTimeWindows.of(Time.seconds(5))", "TumblingEventTimeWindows.of(Time.milliseconds(1500))",
            "TumblingEventTimeWindows.of(Time.seconds(10), Time.seconds(3))",
            "SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(5))",
            "SlidingEventTimeWindows.of(Time.seconds(6), Time.seconds(2), Time.seconds(1))",
            "EventTimeSessionWindows.with_gap(Time.seconds(4))", "EventTimeSessionWindows.with_gap(Time.milliseconds(500))",
            "EventTimeSessionWindows.with_dynamic_gap(gap)",
        ])  # fmt: skip
        if "dynamic" in window:
            cls = draw.name("Gap")
            self.parts.append(
                f"class {cls}(SessionWindowTimeGapExtractor):\n    def extract(self, element):\n"
                f"        return 1000 + element[{shape.time}] % 7000"
            )
            window = window.replace("gap)", f"{cls}())")
        all_keys = draw.chance() < 0.15
        windows = f"s.window_all({window})" if all_keys else f"{stream}.window({window})"
        if draw.chance() < 0.15:
            windows += draw.one([".allowed_lateness(1000)", ".trigger(EventTimeTrigger())"])
        return self.windowed(shape, windows, all_keys, "window().start} {context.window().end")

    def count(self, shape: Shape) -> Shape:
        draw = self.draw
        if not self.ordered:
            return self.filter(shape)
        size = draw.one(["2", "3", "1"])
        all_keys = draw.chance() < 0.2
        windows = (
            f"s.window_all(CountTumblingWindowAssigner.of({size}))"
            if all_keys
            else f"{self.key(shape)[0]}.count_window({size})"
        )
        return self.windowed(shape, windows, all_keys, "window().max_timestamp() > 0")

    def windowed(self, shape: Shape, windows: str, all_keys: bool, shown: str) -> Shape:
        draw = self.draw
        timed_window = "start" in shown
        if timed_window:
            self.ordered = False
        how = draw.weighted({"reduce": 2.0, "aggregate": 2, "process": 2, "apply": 1, "reduce process": 1, "aggregate process": 1})  # fmt: skip
        function = self.summed(shape)
        after = Shape(shape.kinds, shape.form, shape.types, shape.names)
        if how == "reduce" and function:
            self.parts.append(f"s = {windows}.reduce({function})")
            return after
        key = "" if all_keys else "key, "
        part = "{key} " if not all_keys else ""
        element, text = self.expression(shape, draw.one(["int", "str"]))
        cls = draw.name("Window")
        base = "ProcessAllWindowFunction" if all_keys else "ProcessWindowFunction"
        new = Shape(["str", "int"], "tuple", draw.one([None, ["Types.STRING()", "Types.INT()"]]))
        about = f"f\"{part}{{context.{shown}}} {{'{{0}}'}}\"".replace("'{0}'", "{0}")
        listing = f"[{text} for v in elements]"
        if how == "apply":
            base = "AllWindowFunction" if all_keys else "WindowFunction"
            about = about.replace("context.window()", "window")
            self.parts.append(
                f"class {cls}({base}):\n    def apply(self, {key}window, elements):\n"
                f"        elements = list(elements)\n        return [({about.replace('{{0}}', '{len(elements)}').replace('{0}', 'len(elements)')}, len({listing}))]"
            )
            self.parts.append(f"s = {windows}.apply({cls}(){self.typed(new)})")
            return new
        if how in ("aggregate", "aggregate process"):
            total = draw.name("Total")
            zero = {"int": "0", "str": "''"}[element]
            self.parts.append(
                f"class {total}(AggregateFunction):\n    def create_accumulator(self):\n        return {zero}, 0\n"
                f"    def add(self, v, accumulator):\n        return accumulator[0] + ({text}), accumulator[1] + 1\n"
                f"    def get_result(self, accumulator):\n        return str(accumulator[0]), accumulator[1]\n"
                f"    def merge(self, a, b):\n        return a[0] + b[0], a[1] + b[1]"
            )
            if how == "aggregate":
                self.parts.append(f"s = {windows}.aggregate({total}(){self.typed(new)})")
                return new
            inner = "elements"
            call = f"aggregate({total}(), {cls}(){self.typed(new)})"
        elif how == "reduce process" and function:
            inner, call = "elements", f"reduce({function}, {cls}(){self.typed(new)})"
        else:
            inner, call = listing, f"process({cls}(){self.typed(new)})"
        inner = inner if inner == "elements" else f"({listing})"
        count = "len(list(elements))"
        self.parts.append(
            f"class {cls}({base}):\n    def process(self, {key}context, elements):\n"
            f"        elements = list(elements)\n        yield {about.replace('{0}', '{' + inner + '}').replace('{{', '{').replace('}}', '}')}, {count}"
        )
        self.parts.append(f"s = {windows}.{call}")
        return new

    # steps of two streams

    def union(self, shape: Shape) -> Shape:
        name = self.draw.name("other")
        self.source(name, shape.time is not None, shape)
        self.parts.append(f"s = s.union({name})")
        self.ordered = False
        return shape

    def connect(self, shape: Shape) -> Shape:
        draw = self.draw
        name = draw.name("other")
        other = self.source(name, shape=self.shape())
        new, text = self.target(shape)
        made = [self.expression(other, kind)[1] for kind in new.kinds]
        more = new.value(made)
        if any(k not in ("int", "str", "bool", "float") for k in new.kinds):
            more = text if other.kinds == shape.kinds else None or new.value([{"ints": "[1]", "strs": "['s']", "map": "{'m': 1}", "dec": "Decimal(1)", "date": "datetime.date(2024, 1, 1)", "datetime": "datetime.datetime(2024, 1, 1)", "pair": "(1, 'p')"}.get(k, m) for k, m in zip(new.kinds, made, strict=True)])  # fmt: skip
        cls = draw.name("Both")
        self.ordered = False
        style = draw.one(["map", "flat_map", "process", "keyed"])
        if style == "map":
            self.parts.append(
                f"class {cls}(CoMapFunction):\n    def map1(self, v):\n        return {text}\n    def map2(self, v):\n        return {more}"
            )
            self.parts.append(f"s = s.connect({name}).map({cls}(){self.typed(new)})")
        elif style == "flat_map":
            self.parts.append(
                f"class {cls}(CoFlatMapFunction):\n    def flat_map1(self, v):\n        yield {text}\n"
                f"    def flat_map2(self, v):\n        if {self.condition(other)}:\n            yield {more}"
            )
            self.parts.append(f"s = s.connect({name}).flat_map({cls}(){self.typed(new)})")
        elif style == "process":
            self.parts.append(
                f"class {cls}(CoProcessFunction):\n    def process_element1(self, v, ctx):\n        yield {text}\n"
                f"    def process_element2(self, v, ctx):\n        if {self.condition(other)}:\n            yield {more}"
            )
            self.parts.append(f"s = s.connect({name}).process({cls}(){self.typed(new)})")
        else:
            self.parts.append(
                f"class {cls}(KeyedCoProcessFunction):\n    def open(self, runtime_context):\n"
                f"        self.seen = runtime_context.get_state(ValueStateDescriptor('seen', Types.INT()))\n"
                f"    def process_element1(self, v, ctx):\n        self.seen.update((self.seen.value() or 0) + 1)\n        yield {text}\n"
                f"    def process_element2(self, v, ctx):\n        self.seen.update((self.seen.value() or 0) + 1)\n        yield {more}"
            )
            typed = draw.one(["", ", key_type=Types.STRING()"])
            first, second = f"lambda v: str({self.get(shape, 0)})", f"lambda v: str({self.get(other, 0)})"
            if typed:
                keys = f"s.key_by({first}{typed}).connect({name}.key_by({second}{typed}))"
            else:
                keys = f"s.connect({name}).key_by({first}, {second})"
            self.parts.append(f"s = {keys}.process({cls}(){self.typed(new)})")
        return new

    def broadcast(self, shape: Shape) -> Shape:
        draw = self.draw
        new, text = self.target(shape)
        cls, rule = draw.name("Rules"), draw.name("rules")
        self.parts.append(
            f"{rule} = env.from_collection([('a', 1), ('b', 2)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))"
        )
        self.parts.append(f"{rule}_state = MapStateDescriptor('rules', Types.STRING(), Types.INT())")
        keyed = draw.chance() < 0.4
        base = "KeyedBroadcastProcessFunction" if keyed else "BroadcastProcessFunction"
        self.parts.append(
            f"class {cls}({base}):\n    def __init__(self, descriptor):\n        self.descriptor = descriptor\n"
            f"    def process_element(self, v, ctx):\n        yield {text}\n"
            f"    def process_broadcast_element(self, v, ctx):\n        ctx.get_broadcast_state(self.descriptor).put(v[0], v[1])"
        )
        stream = self.key(shape)[0] if keyed else "s"
        self.parts.append(
            f"s = {stream}.connect({rule}.broadcast({rule}_state)).process({cls}({rule}_state){self.typed(new)})"
        )
        return new
