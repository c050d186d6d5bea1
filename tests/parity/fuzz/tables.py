"""Draws programs of the Table API and SQL."""

from __future__ import annotations

from tests.parity.fuzz.expressions import COLUMNS, Expressions
from tests.parity.fuzz.program import Draw, Program

_AGGREGATES = {
    "int": ["SUM({0})", "MIN({0})", "MAX({0})", "AVG({0})", "COUNT({0})", "COUNT(DISTINCT {0})", "SUM(DISTINCT {0})"],
    "big": ["SUM({0})", "MAX({0})", "AVG({0})"],
    "dbl": ["MAX({0})", "MIN({0})", "COUNT({0})"],
    "dec": ["SUM({0})", "AVG({0})", "MIN({0})"],
    "str": ["MIN({0})", "MAX({0})", "COUNT({0})", "COUNT(DISTINCT {0})"],
    "date": ["MIN({0})", "MAX({0})"],
    "ts": ["MAX({0})", "MIN({0})"],
    "bool": ["COUNT({0})"],
}
_API_AGGREGATES = {
    "int": ["{0}.sum", "{0}.min", "{0}.max", "{0}.avg", "{0}.count", "{0}.count.distinct", "{0}.sum0"],
    "big": ["{0}.sum", "{0}.max", "{0}.avg"],
    "dbl": ["{0}.max", "{0}.min"],
    "dec": ["{0}.sum", "{0}.avg", "{0}.min"],
    "str": ["{0}.min", "{0}.max", "{0}.count"],
    "date": ["{0}.max"],
    "ts": ["{0}.min"],
}
_RESULTS = {
    "SUM": lambda kind: kind if kind != "int" else "int",
    "COUNT": lambda kind: "big",
    "AVG": lambda kind: kind,
    "MIN": lambda kind: kind,
    "MAX": lambda kind: kind,
}


class Tables:
    """Draws one program."""

    def __init__(self, name: str) -> None:
        self.draw = Draw(name)
        self.name = name
        self.parts: list[str] = []
        self.order = "lines"
        self.batch = self.draw.chance() < 0.5
        self.changes = False
        self.alone = False

    def program(self) -> Program:
        draw = self.draw
        columns, table = self.source("t0"), "t0"
        if draw.chance() < 0.2:
            self.parts, self.batch = [], False
            table, columns = self.windowed()
        steps = {
            self.select: 3.0, self.sql_select: 4, self.filter: 1.5, self.group: 2, self.sql_group: 3, self.join: 1.5,
            self.sql_join: 2, self.sets: 1, self.functions: 2, self.table_function: 1, self.columns: 1, self.distinct: 0.7,
            self.sql_nested: 2, self.ordered: 0.8,
        }  # fmt: skip
        for _ in range(draw.whole(1, 3)):
            table, columns = draw.weighted(steps)(table, columns)
        self.sink(table, columns)
        order = "any" if self.batch and self.order == "lines" else self.order
        return Program(self.name, tuple(self.parts), self.batch, order, self.alone)

    # sources and sinks

    def source(self, name: str) -> dict[str, str]:
        draw = self.draw
        weights = {"int": 4.0, "str": 4, "dbl": 1.5, "big": 1, "dec": 1, "bool": 1, "date": 1, "ts": 1.2, "time": 0.5, "arr": 0.7, "arrs": 0.5, "map": 0.5, "row": 0.5, "small": 0.4, "flt": 0.4}  # fmt: skip
        kinds = [draw.one(["str", "int"]), "int", *(draw.weighted(weights) for _ in range(draw.whole(1, 3)))]
        columns = {f"{'kvwxyz'[i]}": kind for i, kind in enumerate(kinds)}
        self.parts.append(f"rows_{name} = []")
        for _ in range(draw.whole(2, 7)):
            values = [
                "None" if draw.chance() < 0.12 else draw.one(COLUMNS[kind][2][: 4 if i == 0 else 9])
                for i, kind in enumerate(kinds)
            ]
            self.parts.append(f"rows_{name}.append(({', '.join(values)},))")
        fields = ", ".join(f"DataTypes.FIELD('{c}', DataTypes.{COLUMNS[kind][1]})" for c, kind in columns.items())
        self.parts.append(f"{name} = tables.from_elements(rows_{name}, DataTypes.ROW([{fields}]))")
        return columns

    def windowed(self) -> tuple[str, dict[str, str]]:
        """A query of windows over rows with a time."""
        draw = self.draw
        self.parts.append("rows_w = []")
        second = 0
        for _ in range(draw.whole(2, 9)):
            key, number = draw.one(["'a'", "'b'", "'c'"]), draw.one(["1", "2", "3", "-7", "10"])
            time = f"datetime.datetime(2024, 1, 1, 0, {second // 60}, {second % 60}, {draw.one([0, 0, 500000])})"
            self.parts.append(f"rows_w.append(Row({key}, {number}, {time}))")
            second += draw.one([0, 1, 1, 2, 5, 9, 30])
        kind = "Types.ROW_NAMED(['k', 'v', 'made'], [Types.STRING(), Types.INT(), Types.SQL_TIMESTAMP()])"
        schema = (
            ".column('k', DataTypes.STRING()).column('v', DataTypes.INT())"
            ".column_by_expression('ts', 'CAST(made AS TIMESTAMP(3))')"
        )
        self.parts.append(
            f"w = tables.from_data_stream(env.from_collection(rows_w, type_info={kind}), "
            f"Schema.new_builder(){schema}.watermark('ts', \"ts - INTERVAL '1' DAY\").build())"
        )
        self.order = "net"  # windows that end together come in any order, and totals of them
        size = draw.one([5, 10, 3, 30])
        aggregates = draw.some(
            ["SUM(v)", "COUNT(*)", "MIN(v)", "MAX(v)", "AVG(v)", "COUNT(DISTINCT v)", "MAX(ts)"], 1, 3
        )
        if draw.chance() < 0.35:
            window = draw.one([
                f"Tumble.over(lit({size}).seconds)", f"Slide.over(lit({size * 2}).seconds).every(lit({size}).seconds)",
                f"Session.with_gap(lit({size}).seconds)",
            ])  # fmt: skip
            keys = ["col('k')"] if draw.chance() < 0.7 else []
            shown = ", ".join(
                [*keys, "col('p').start.alias('a')", "col('p').end.alias('b')", "col('v').sum.alias('c')"]
            )
            grouped = ", ".join([*keys, "col('p')"])
            new = self.new()
            self.parts.append(
                f"{new} = w.window({window}.on(col('ts')).alias('p')).group_by({grouped}).select({shown})"
            )
            return new, {**({"k": "str"} if keys else {}), "a": "ts", "b": "ts", "c": "int"}
        view = self.view("w")
        window = draw.one([
            f"TUMBLE(TABLE {view}, DESCRIPTOR(ts), INTERVAL '{size}' SECOND)",
            f"HOP(TABLE {view}, DESCRIPTOR(ts), INTERVAL '{size}' SECOND, INTERVAL '{size * 2}' SECOND)",
            f"CUMULATE(TABLE {view}, DESCRIPTOR(ts), INTERVAL '{size}' SECOND, INTERVAL '{size * 3}' SECOND)",
            f"SESSION(TABLE {view} PARTITION BY k, DESCRIPTOR(ts), INTERVAL '{size}' SECOND)",
        ])  # fmt: skip
        if draw.chance() < 0.2 and "SESSION" not in window:
            text = f"SELECT k, v, window_start AS a, window_end AS b, window_time AS c FROM TABLE({window})"
            return self.query(text), {"k": "str", "v": "int", "a": "ts", "b": "ts", "c": "ts"}
        keys = ["k"] if draw.chance() < 0.6 or "SESSION" in window else []
        made = {f"g{i}": each for i, each in enumerate(aggregates)}
        shown = ", ".join([*keys, "window_start AS a", "window_end AS b", *(f"{t} AS {n}" for n, t in made.items())])
        having = draw.one(["", "", " HAVING COUNT(*) > 1"])
        where = draw.one(["", "", " WHERE v > 1"])
        text = f"SELECT {shown} FROM TABLE({window}){where} GROUP BY {', '.join([*keys, 'window_start', 'window_end'])}{having}"
        kinds = {n: "ts" if "ts" in t else "big" if "COUNT" in t else "int" for n, t in made.items()}
        return self.query(text), {**({"k": "str"} if keys else {}), "a": "ts", "b": "ts", **kinds}

    def sink(self, table: str, columns: dict[str, str]) -> None:
        draw = self.draw
        if draw.chance() < 0.03:
            self.alone = True
            self.parts.append(f"{table}.execute().print()")
            return
        if self.batch:
            self.parts.append(f"s = tables.to_data_stream({table})")
        else:
            self.parts.append(f"s = tables.to_changelog_stream({table})")
        if draw.chance() < 0.4:
            if self.order == "net":
                self.parts.append("s = s.map(lambda row: str(row.get_row_kind()).split('.')[-1] + repr(list(row)))")
            else:
                self.parts.append(
                    "s = s.map(lambda row: str(row.get_row_kind()) + repr(list(row)), output_type=Types.STRING())"
                )
        self.parts.append("s.print(label)")

    def two(self) -> None:
        """From now on rows come from two tables, in an order that is open."""
        self.order = "any" if self.batch else "net"

    def new(self) -> str:
        return self.draw.name("t")

    def view(self, table: str) -> str:
        name = self.draw.name("view")
        self.parts.append(f"tables.create_temporary_view('{name}', {table})")
        return name

    def query(self, text: str) -> str:
        table = self.new()
        self.parts.append(f"{table} = tables.sql_query({text!r})")
        return table

    def drawn(self, columns: dict[str, str], sql: bool, least: int = 1) -> dict[str, tuple[str, str]]:
        """Name -> kind and text of what is selected."""
        expressions = Expressions(self.draw, columns, sql)
        made: dict[str, tuple[str, str]] = {}
        for i in range(self.draw.whole(least, 4)):
            if self.draw.chance() < 0.2:
                name = self.draw.one(list(columns))
                made[f"c{i}"] = (columns[name], expressions.column(name))
            else:
                made[f"c{i}"] = expressions.any(self.draw.whole(1, 3))
        return made

    # one table

    def select(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        made = self.drawn(columns, False)
        new = self.new()
        texts = ", ".join(f"({text}).alias('{name}')" for name, (_, text) in made.items())
        self.parts.append(f"{new} = {table}.select({texts})")
        return new, {name: kind for name, (kind, _) in made.items()}

    def sql_select(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        made = self.drawn(columns, True)
        texts = ", ".join(f"{text} AS {name}" for name, (_, text) in made.items())
        where = f" WHERE {self.condition(columns, True)}" if self.draw.chance() < 0.5 else ""
        new = self.query(f"SELECT {texts} FROM {self.view(table)}{where}")
        return new, {name: kind for name, (kind, _) in made.items()}

    def condition(self, columns: dict[str, str], sql: bool) -> str:
        return Expressions(self.draw, columns, sql).of("bool", 2)

    def filter(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        new = self.new()
        condition = self.condition(columns, False)
        if condition.startswith("lit("):
            condition = "lit(True) == True"
        self.parts.append(f"{new} = {table}.{self.draw.one(['where', 'filter'])}({condition})")
        return new, columns

    def columns(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        new = self.new()
        how = draw.one(["add", "drop", "rename", "replace"])
        name = draw.one(list(columns))
        if how == "drop" and len(columns) > 1:
            self.parts.append(f"{new} = {table}.drop_columns(col('{name}'))")
            return new, {each: kind for each, kind in columns.items() if each != name}
        if how == "rename":
            other = draw.name("r")
            self.parts.append(f"{new} = {table}.rename_columns(col('{name}').alias('{other}'))")
            return new, {other if each == name else each: kind for each, kind in columns.items()}
        kind, text = Expressions(draw, columns, False).any(2)
        name = name if how == "replace" else draw.name("a")
        self.parts.append(
            f"{new} = {table}.add{'_or_replace' if how == 'replace' else ''}_columns(({text}).alias('{name}'))"
        )
        return new, {**columns, name: kind}

    def distinct(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        if self._nested(columns):
            return self.filter(table, columns)
        if self.draw.chance() < 0.5:
            new = self.new()
            self.parts.append(f"{new} = {table}.distinct()")
            return new, columns
        names = self.draw.some(list(columns), 1, 2)
        new = self.query(f"SELECT DISTINCT {', '.join(names)} FROM {self.view(table)}")
        return new, {name: columns[name] for name in names}

    def _nested(self, columns: dict[str, str]) -> bool:
        return bool({"arr", "arrs", "map", "row"} & set(columns.values()))

    def keys(self, columns: dict[str, str]) -> list[str]:
        return [name for name, kind in columns.items() if kind in ("int", "str", "bool", "date", "big", "ts")]

    def group(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        keys = self.keys(columns)
        able = [name for name, kind in columns.items() if kind in _API_AGGREGATES]
        if not keys or not able:
            return self.select(table, columns)
        chosen = draw.some(keys, 0, 2)
        made, kinds = [], {key: columns[key] for key in chosen}
        for i in range(draw.whole(1, 3)):
            name = draw.one(able)
            text = draw.one(_API_AGGREGATES[columns[name]]).format(f"col('{name}')")
            made.append(f"{text}.alias('g{i}')")
            kinds[f"g{i}"] = "big" if "count" in text else columns[name]
        selected = ", ".join([*(f"col('{key}')" for key in chosen), *made])
        grouped = f".group_by({', '.join(f'col({key!r})' for key in chosen)})" if chosen else ""
        new = self.new()
        self.parts.append(f"{new} = {table}{grouped}.select({selected})")
        return new, kinds

    def sql_group(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        keys = self.keys(columns)
        able = [name for name, kind in columns.items() if kind in _AGGREGATES]
        if not able:
            return self.sql_select(table, columns)
        chosen = draw.some(keys, 0, 2) if keys else []
        selected, kinds = list(chosen), {key: columns[key] for key in chosen}
        for i in range(draw.whole(1, 3)):
            name = draw.one(able)
            aggregate = draw.one([*_AGGREGATES[columns[name]], "COUNT(*)"])
            text = aggregate.format(name)
            if draw.chance() < 0.15:
                text += f" FILTER (WHERE {self.condition(columns, True)})"
            selected.append(f"{text} AS g{i}")
            kinds[f"g{i}"] = _RESULTS[aggregate.partition("(")[0]](columns[name])
        text = f"SELECT {', '.join(selected)} FROM {self.view(table)}"
        if draw.chance() < 0.3:
            text += f" WHERE {self.condition(columns, True)}"
        if chosen:
            grouping = ", ".join(chosen)
            if len(chosen) == 2 and draw.chance() < 0.2:
                self.two()
                grouping = draw.one(
                    [f"ROLLUP ({grouping})", f"CUBE ({grouping})", f"GROUPING SETS (({chosen[0]}), ({chosen[1]}), ())"]
                )
            text += f" GROUP BY {grouping}"
            if draw.chance() < 0.25:
                text += draw.one(
                    [" HAVING COUNT(*) > 1", f" HAVING MAX({draw.one(able)}) IS NOT NULL", " HAVING SUM(1) < 3"]
                )
        return self.query(text), kinds

    def sql_nested(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        view = self.view(table)
        key = draw.one(list(columns))
        inner = self.condition(columns, True)
        numbers = [name for name, kind in columns.items() if kind == "int"]
        options = [
            f"WITH part AS (SELECT * FROM {view} WHERE {inner}) SELECT * FROM part",
            f"SELECT * FROM (SELECT * FROM {view} WHERE {inner}) AS part WHERE {self.condition(columns, True)}",
            f"WITH a AS (SELECT * FROM {view}), b AS (SELECT * FROM a WHERE {inner}) SELECT * FROM b",
        ]
        if numbers:
            n = draw.one(numbers)
            two = [
                f"SELECT * FROM {view} WHERE {n} IN (SELECT {n} FROM {view} WHERE {inner})",
                f"SELECT * FROM {view} WHERE {n} > (SELECT AVG({n}) FROM {view})",
                f"SELECT * FROM {view} WHERE {n} >= (SELECT MIN({n}) FROM {view} WHERE {inner})",
            ]
            if self.batch and draw.chance() < 0.5:
                two.append(f"SELECT * FROM {view} WHERE {n} NOT IN (SELECT {n} FROM {view} WHERE {n} > 2)")
            if draw.chance() < 0.5:
                self.two()
                return self.query(draw.one(two)), columns
        _ = key
        return self.query(draw.one(options)), columns

    def ordered(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        keys = self.keys(columns)
        if not keys:
            return self.select(table, columns)
        # All columns that can be ordered: rows that are equal by them must not be told apart.
        if self._nested(columns) or set(columns.values()) - {"int", "str", "bool", "date", "big", "ts", "dbl", "dec"}:
            return self.filter(table, columns)
        how = ", ".join(f"{name}{draw.one(['', ' DESC', ' ASC', ' DESC NULLS LAST'])}" for name in columns)
        limit = f" LIMIT {draw.whole(1, 4)}"
        self.order = "net" if not self.batch else "any"
        return self.query(f"SELECT * FROM {self.view(table)} ORDER BY {how}{limit}"), columns

    def functions(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        """Functions of Python."""
        draw = self.draw
        kinds = {
            "int": ["lambda x: x + 1 if x is not None else None", "lambda x: x", "lambda x: (x or 0) * 2"],
            "str": ["lambda x: x.upper() if x else 'none'", "lambda x: x", "lambda x: (x or '')[::-1]"],
            "dbl": ["lambda x: x", "lambda x: x / 2 if x is not None else 0.0"],
            "dec": ["lambda x: x", "lambda x: x + 1 if x is not None else None"],
            "bool": ["lambda x: not x", "lambda x: x"],
            "date": ["lambda x: x"],
            "ts": ["lambda x: x", "lambda x: x.replace(microsecond=0) if x else None"],
            "time": ["lambda x: x"],
            "arr": ["lambda x: x", "lambda x: [i for i in x if i] if x is not None else []"],
            "arrs": ["lambda x: list(reversed(x)) if x else x"],
            "map": ["lambda x: x"],
            "row": ["lambda x: x", "lambda x: Row(7, x[1]) if x else None"],
            "big": ["lambda x: x"],
            "flt": ["lambda x: x"],
            "small": ["lambda x: x"],
        }
        name = draw.one(list(columns))
        kind = columns[name]
        function = draw.name("f")
        result, body = kind, draw.one(kinds[kind])
        if draw.chance() < 0.3:
            result, body = "str", "lambda x: repr(x)"
            if kind in ("dbl", "flt"):
                body = "lambda x: str(x)"
        pandas = ""
        if kind in ("int", "dbl", "str", "big") and draw.chance() < 0.25:
            body = {"int": "lambda x: x.fillna(0).astype('int32') + 1", "dbl": "lambda x: x * 2", "str": "lambda x: x.str.upper()", "big": "lambda x: x.fillna(0).astype('int64')"}[kind]  # fmt: skip
            result, pandas = kind, ", func_type='pandas'"
        self.parts.append(f"{function} = udf({body}, result_type=DataTypes.{COLUMNS[result][1]}{pandas})")
        others = draw.some(list(columns), 1, 2)
        kinds_after = {"u": result, **{other: columns[other] for other in others}}
        if draw.chance() < 0.5:
            new = self.new()
            texts = ", ".join(f"col('{other}')" for other in others)
            self.parts.append(f"{new} = {table}.select({function}(col('{name}')).alias('u'), {texts})")
            return new, kinds_after
        self.parts.append(f"tables.create_temporary_function('{function}', {function})")
        where = f" WHERE {function}({name}) IS NOT NULL" if draw.chance() < 0.3 else ""
        return self.query(
            f"SELECT {function}({name}) AS u, {', '.join(others)} FROM {self.view(table)}{where}"
        ), kinds_after

    def table_function(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        arrays = [name for name, kind in columns.items() if kind in ("arr", "arrs")]
        if arrays and draw.chance() < 0.6:
            name = draw.one(arrays)
            how = draw.one(["CROSS JOIN", "LEFT JOIN"])
            on = " ON TRUE" if how == "LEFT JOIN" else ""
            text = f"SELECT {', '.join(columns)}, item FROM {self.view(table)} {how} UNNEST({name}) AS u (item){on}"
            return self.query(text), {**columns, "item": "int" if columns[name] == "arr" else "str"}
        texts = [name for name, kind in columns.items() if kind == "str"]
        if not texts or "part" in columns:
            return self.filter(table, columns)
        function = draw.name("f")
        self.parts.append(
            f"def {function}_eval(text):\n    for part in (text or '').split(' '):\n        yield part, len(part)"
        )
        self.parts.append(f"{function} = udtf({function}_eval, result_types=[DataTypes.STRING(), DataTypes.INT()])")
        name = draw.one(texts)
        after = {**columns, "part": "str", "size": "int"}
        if draw.chance() < 0.5:
            new = self.new()
            how = draw.one(["join_lateral", "left_outer_join_lateral"])
            self.parts.append(f"{new} = {table}.{how}({function}(col('{name}')).alias('part', 'size'))")
            return new, after
        self.parts.append(f"tables.create_temporary_function('{function}', {function})")
        how = draw.one(
            [", LATERAL TABLE({0}) AS l (part, size)", " LEFT JOIN LATERAL TABLE({0}) AS l (part, size) ON TRUE"]
        )
        return self.query(f"SELECT * FROM {self.view(table)}{how.format(f'{function}({name})')}"), after

    # two tables

    def other(self) -> tuple[str, dict[str, str]]:
        name = self.draw.name("o")
        columns = self.source(name)
        new = self.new()
        renamed = {f"{column}_{name}": kind for column, kind in columns.items()}
        texts = ", ".join(f"col('{c}').alias('{c}_{name}')" for c in columns)
        self.parts.append(f"{new} = {name}.select({texts})")
        self.two()
        return new, renamed

    def join(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        other, more = self.other()
        new = self.new()
        pairs = self._pairs(columns, more)
        if not pairs:
            return self.filter(table, columns)
        a, b = draw.one(pairs)
        how = draw.one(["join", "left_outer_join", "right_outer_join", "full_outer_join"])
        condition = f"col('{a}') == col('{b}')"
        if draw.chance() < 0.3 and how == "join":
            self.parts.append(f"{new} = {table}.join({other}).where({condition})")
        else:
            self.parts.append(f"{new} = {table}.{how}({other}, {condition})")
        return new, {**columns, **more}

    def _pairs(self, columns: dict[str, str], more: dict[str, str]) -> list[tuple[str, str]]:
        return [(a, b) for a in columns for b in more if columns[a] == more[b] and columns[a] in ("int", "str", "bool", "date")]  # fmt: skip

    def sql_join(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        other, more = self.other()
        pairs = self._pairs(columns, more)
        if not pairs:
            return self.filter(table, columns)
        a, b = draw.one(pairs)
        left, right = self.view(table), self.view(other)
        how = draw.one(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN", "INNER JOIN", "CROSS JOIN"])
        if how == "CROSS JOIN":
            return self.query(f"SELECT * FROM {left} CROSS JOIN {right}"), {**columns, **more}
        extra = ""
        if draw.chance() < 0.3:
            extra = f" AND {self.condition({**columns, **more}, True)}"
        where = f" WHERE {self.condition({**columns, **more}, True)}" if draw.chance() < 0.2 else ""
        return self.query(f"SELECT * FROM {left} {how} {right} ON {a} = {b}{extra}{where}"), {**columns, **more}

    def sets(self, table: str, columns: dict[str, str]) -> tuple[str, dict[str, str]]:
        draw = self.draw
        if self._nested(columns):
            return self.filter(table, columns)
        self.two()
        other = self.new()
        self.parts.append(
            f"{other} = {table}.where({Expressions(draw, columns, False).build(draw.one([t for t in _conditions() if t.arguments[0] in columns.values()] or _conditions()), 1)})"
        )
        if draw.chance() < 0.4:
            how = draw.one(
                ["union_all"]
                if not self.batch
                else ["union", "union_all", "intersect", "intersect_all", "minus", "minus_all"]
            )
            new = self.new()
            self.parts.append(f"{new} = {table}.{how}({other})")
            return new, columns
        how = draw.one(["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"])
        return self.query(f"SELECT * FROM {self.view(table)} {how} SELECT * FROM {self.view(other)}"), columns


def _conditions():
    from tests.parity.fuzz.expressions import TEMPLATES

    return [each for each in TEMPLATES if each.kind == "bool" and each.api]
