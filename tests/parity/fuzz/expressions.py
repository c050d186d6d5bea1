"""Expressions of tables, as SQL and as the Table API write them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.parity.fuzz.program import Draw

#: Kind of a column -> its type as SQL and as Python write it, and values of it.
COLUMNS: dict[str, tuple[str, str, list[str]]] = {
    "int": ("INT", "INT()", ["1", "2", "3", "-7", "0", "100", "42"]),
    "big": ("BIGINT", "BIGINT()", ["1", "20", "-300", "0", "4000000000", "7"]),
    "small": ("SMALLINT", "SMALLINT()", ["1", "2", "-3", "300"]),
    "dbl": ("DOUBLE", "DOUBLE()", ["1.5", "-2.25", "0.0", "100.0", "3.14159", "1234567.0"]),
    "flt": ("FLOAT", "FLOAT()", ["1.5", "-0.25", "8.0"]),
    "dec": ("DECIMAL(10, 2)", "DECIMAL(10, 2)", ["Decimal('1.50')", "Decimal('-20.25')", "Decimal('0.00')", "Decimal('99.99')"]),
    "str": ("STRING", "STRING()", ["'a'", "'b'", "'Hello World'", "''", "'to be'", "'x,y,z'", "'12'", "'Ünï'", "' pad '"]),
    "bool": ("BOOLEAN", "BOOLEAN()", ["True", "False"]),
    "date": ("DATE", "DATE()", ["datetime.date(2024, 1, 31)", "datetime.date(2020, 2, 29)", "datetime.date(1999, 12, 31)"]),
    "time": ("TIME(0)", "TIME()", ["datetime.time(10, 20, 30)", "datetime.time(0, 0, 0)", "datetime.time(23, 59, 59)"]),
    "ts": ("TIMESTAMP(3)", "TIMESTAMP(3)", ["datetime.datetime(2024, 1, 31, 10, 20, 30)", "datetime.datetime(2024, 2, 29, 23, 59, 59, 123000)", "datetime.datetime(1999, 12, 31)"]),
    "arr": ("ARRAY<INT>", "ARRAY(DataTypes.INT())", ["[1, 2, 3]", "[]", "[5]", "[2, None, 2]"]),
    "arrs": ("ARRAY<STRING>", "ARRAY(DataTypes.STRING())", ["['a', 'b']", "[]", "['to', 'be', 'to']"]),
    "map": ("MAP<STRING, INT>", "MAP(DataTypes.STRING(), DataTypes.INT())", ["{'a': 1}", "{'k': 5}", "{}"]),
    "row": ("ROW<p INT, q STRING>", "ROW([DataTypes.FIELD('p', DataTypes.INT()), DataTypes.FIELD('q', DataTypes.STRING())])", ["Row(1, 'x')", "Row(2, 'y')"]),
}  # fmt: skip

#: Kind, kinds of arguments, SQL, Table API or an empty text.
_TEXT = """
int|int,int|{0} + {1}|{0} + {1}
int|int,int|{0} - {1}|{0} - {1}
int|int,int|{0} * {1}|{0} * {1}
int|int|-{0}|-{0}
int|int|{0} / 2|{0} / 2
int|int|{0} % 3|{0} % 3
int|int|ABS({0})|{0}.abs
int|int|MOD({0}, 5)|{0} % 5
int|int|SIGN({0})|{0}.sign
big|int,big|{0} + {1}|{0} + {1}
big|big|{0} * 2|{0} * 2
big|big|{0} / 7|{0} / 7
big|big|CAST({0} AS BIGINT)|{0}.cast(DataTypes.BIGINT())
int|small|{0} + 1|{0} + 1
int|small,int|{0} * {1}|{0} * {1}
dbl|dbl,dbl|{0} + {1}|{0} + {1}
dbl|dbl|{0} * 0.5|{0} * 0.5
dbl|int|{0} / 2.0E0|{0} / 2.0
dbl|dbl|ROUND({0}, 1)|{0}.round(1)
dbl|dbl|FLOOR({0})|{0}.floor()
dbl|dbl|CEIL({0})|{0}.ceil()
dbl|dbl|ABS({0})|{0}.abs
dbl|int|SQRT(ABS({0}))|{0}.abs.sqrt
dbl|int|POWER({0}, 2)|{0} ** 2
dbl|flt|{0} * 2|{0} * 2
dbl|int|EXP({0} / 100)|({0} / 100).exp
dbl|dbl|TRUNCATE({0}, 1)|{0}.truncate(1)
dbl|flt|CAST({0} AS DOUBLE)|{0}.cast(DataTypes.DOUBLE())
flt|flt,flt|{0} + {1}|{0} + {1}
flt|dbl|CAST({0} AS FLOAT)|{0}.cast(DataTypes.FLOAT())
dec|dec,dec|{0} + {1}|{0} + {1}
dec|dec,int|{0} * {1}|{0} * {1}
dec|dec|{0} / 3|{0} / 3
dec|dec|ROUND({0}, 1)|{0}.round(1)
dec|dec|FLOOR({0})|{0}.floor()
dec|int|CAST({0} AS DECIMAL(12, 3))|{0}.cast(DataTypes.DECIMAL(12, 3))
dec|dec|{0} - 1.5|{0} - Decimal('1.5')
dec|dec|ABS({0})|{0}.abs
dec|dec|{0} % 2|
str|str|UPPER({0})|{0}.upper_case
str|str|LOWER({0})|{0}.lower_case
str|str,str|{0} \\|\\| {1}|{0} + {1}
str|str,str|CONCAT({0}, '-', {1})|concat({0}, '-', {1})
str|str,str|CONCAT_WS('+', {0}, {1})|concat_ws('+', {0}, {1})
str|str|SUBSTRING({0}, 2)|{0}.substring(2)
str|str|SUBSTRING({0} FROM 1 FOR 3)|{0}.substring(1, 3)
str|str|TRIM({0})|{0}.trim()
str|str|TRIM(LEADING 'a' FROM {0})|
str|str|LTRIM({0})|{0}.ltrim()
str|str|RTRIM({0})|{0}.rtrim()
str|str|REPLACE({0}, 'o', '00')|{0}.replace('o', '00')
str|str|REGEXP_REPLACE({0}, '[aeiou]', '*')|{0}.regexp_replace('[aeiou]', '*')
str|str|REGEXP_EXTRACT({0}, '([a-z]+) ([a-z]+)', 2)|{0}.regexp_extract('([a-z]+) ([a-z]+)', 2)
str|str|INITCAP({0})|{0}.init_cap
str|str|REVERSE({0})|{0}.reverse
str|str|LPAD({0}, 6, '*')|{0}.lpad(6, '*')
str|str|RPAD({0}, 3, 'xy')|{0}.rpad(3, 'xy')
str|str|LEFT({0}, 2)|{0}.left(2)
str|str|RIGHT({0}, 2)|{0}.right(2)
str|str|REPEAT({0}, 2)|{0}.repeat(2)
str|str|SPLIT_INDEX({0}, ',', 1)|{0}.split_index(',', 1)
str|str|OVERLAY({0} PLACING 'zz' FROM 2)|{0}.overlay('zz', 2)
str|str|MD5({0})|{0}.md5
str|str|TO_BASE64({0})|{0}.to_base64
str|int|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|big|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|dbl|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|flt|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|dec|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|bool|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|date|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|time|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|ts|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|arr|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|map|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|row|CAST({0} AS STRING)|{0}.cast(DataTypes.STRING())
str|str|CAST({0} AS VARCHAR(3))|{0}.cast(DataTypes.VARCHAR(3))
str|str|CAST({0} AS CHAR(3))|{0}.cast(DataTypes.CHAR(3))
str|ts|DATE_FORMAT({0}, 'yyyy-MM-dd HH:mm')|
str|ts|DATE_FORMAT({0}, 'dd MMM yy')|
str|arrs|ARRAY_JOIN({0}, '-')|{0}.array_join('-')
str|int|BIN({0})|{0}.bin
str|int|HEX({0})|{0}.hex
str|str|JSON_VALUE('{{"a": "b"}}', '$.a')|
str|str|JSON_OBJECT(KEY 'k' VALUE {0})|json_object(JsonOnNull.NULL, 'k', {0})
str|int|JSON_QUERY('[1, 2]', '$')|
str|str|JSON_STRING({0})|json_string({0})
int|str|CHAR_LENGTH({0})|{0}.char_length
int|str|POSITION('o' IN {0})|lit('o').position({0})
int|str|LOCATE('b', {0})|lit('b').locate({0})
int|str|ASCII({0})|{0}.ascii
int|str|TRY_CAST({0} AS INT)|{0}.try_cast(DataTypes.INT())
int|dbl|CAST({0} AS INT)|{0}.cast(DataTypes.INT())
int|dec|CAST({0} AS INT)|{0}.cast(DataTypes.INT())
int|bool|CAST({0} AS INT)|{0}.cast(DataTypes.INT())
small|int|CAST({0} AS SMALLINT)|{0}.cast(DataTypes.SMALLINT())
int|arr|CARDINALITY({0})|{0}.cardinality
int|arr|{0}[1]|{0}.at(1)
int|arr|ARRAY_MAX({0})|{0}.array_max()
int|map|CARDINALITY({0})|{0}.cardinality
int|map|{0}['a']|{0}.at('a')
int|row|{0}.p|{0}.get('p')
str|row|{0}.q|{0}.get(1)
str|arrs|{0}[2]|{0}.at(2)
int|arr|ARRAY_POSITION({0}, 2)|{0}.array_position(2)
dbl|int,dbl|IF({0} > 1, {1}, 0.0)|({0} > 1).then({1}, 0.0)
int|bool,int|CASE WHEN {0} THEN {1} ELSE 0 END|{0}.then({1}, 0)
int|int,int|CASE {0} WHEN 1 THEN {1} WHEN 2 THEN 20 END|
str|int,str|CASE WHEN {0} > 2 THEN {1} WHEN {0} > 0 THEN 'mid' ELSE 'low' END|({0} > 2).then({1}, 'low')
int|int|COALESCE({0}, 0)|coalesce({0}, 0)
str|str|COALESCE({0}, 'none')|coalesce({0}, 'none')
int|int|NULLIF({0}, 1)|
int|int,int|GREATEST({0}, {1})|
int|int,int|LEAST({0}, {1}, 5)|
str|str,str|GREATEST({0}, {1})|
int|int|IFNULL({0}, -1)|{0}.if_null(-1)
str|str|IFNULL({0}, '?')|{0}.if_null('?')
bool|int,int|{0} > {1}|{0} > {1}
bool|int,int|{0} = {1}|{0} == {1}
bool|int,int|{0} <> {1}|{0} != {1}
bool|int|{0} BETWEEN 0 AND 5|{0}.between(0, 5)
bool|int|{0} NOT BETWEEN 0 AND 5|{0}.not_between(0, 5)
bool|int|{0} IN (1, 2, 42)|{0}.in_(1, 2, 42)
bool|int|{0} NOT IN (1, 2)|~{0}.in_(1, 2)
bool|str|{0} LIKE '%o%'|{0}.like('%o%')
bool|str|{0} LIKE '_'|{0}.like('_')
bool|str|{0} NOT LIKE 'a%'|~{0}.like('a%')
bool|str|{0} SIMILAR TO '[a-b]+'|{0}.similar('[a-b]+')
bool|str|REGEXP({0}, '^[A-Z]')|{0}.regexp('^[A-Z]')
bool|str|{0} IN ('a', 'b')|{0}.in_('a', 'b')
bool|str,str|{0} < {1}|{0} < {1}
bool|str|STARTSWITH({0}, 'a')|{0}.starts_with('a')
bool|int|{0} IS NULL|{0}.is_null
bool|str|{0} IS NOT NULL|{0}.is_not_null
bool|bool|{0} IS TRUE|{0}.is_true
bool|bool|{0} IS NOT FALSE|{0}.is_not_false
bool|bool|NOT {0}|~{0}
bool|bool,bool|{0} AND {1}|{0} & {1}
bool|bool,bool|{0} OR {1}|{0} \\| {1}
bool|dbl,int|{0} >= {1}|{0} >= {1}
bool|dec,int|{0} > {1}|{0} > {1}
bool|ts,ts|{0} < {1}|{0} < {1}
bool|date,date|{0} <= {1}|{0} <= {1}
bool|int,int|{0} IS NOT DISTINCT FROM {1}|
bool|arr|ARRAY_CONTAINS({0}, 2)|{0}.array_contains(2)
bool|str|{0} IS JSON|{0}.is_json()
date|ts|CAST({0} AS DATE)|{0}.cast(DataTypes.DATE())
date|date|{0} + INTERVAL '1' DAY|{0} + lit(1).day
date|date|{0} - INTERVAL '1' MONTH|{0} - lit(1).month
date|date|FLOOR({0} TO MONTH)|{0}.floor(TimeIntervalUnit.MONTH)
ts|date|CAST({0} AS TIMESTAMP(3))|{0}.cast(DataTypes.TIMESTAMP(3))
ts|ts|{0} + INTERVAL '90' MINUTE|{0} + lit(90).minutes
ts|ts|{0} - INTERVAL '1' YEAR|{0} - lit(1).year
ts|ts|FLOOR({0} TO HOUR)|{0}.floor(TimeIntervalUnit.HOUR)
ts|ts|CEIL({0} TO DAY)|{0}.ceil(TimeIntervalUnit.DAY)
ts|ts|TIMESTAMPADD(WEEK, 1, {0})|
ts|str|TO_TIMESTAMP({0})|to_timestamp(({0} == '').then(null_of(DataTypes.STRING()), {0}))
time|ts|CAST({0} AS TIME)|{0}.cast(DataTypes.TIME())
time|time|{0} + INTERVAL '30' MINUTE|{0} + lit(30).minutes
big|ts|EXTRACT(YEAR FROM {0})|{0}.extract(TimeIntervalUnit.YEAR)
big|ts|EXTRACT(WEEK FROM {0})|{0}.extract(TimeIntervalUnit.WEEK)
big|date|EXTRACT(DAY FROM {0})|{0}.extract(TimeIntervalUnit.DAY)
big|date|DAYOFWEEK({0})|
big|date|QUARTER({0})|
big|time|EXTRACT(HOUR FROM {0})|{0}.extract(TimeIntervalUnit.HOUR)
int|ts,ts|TIMESTAMPDIFF(HOUR, {0}, {1})|timestamp_diff(TimePointUnit.HOUR, {0}, {1})
int|ts,ts|TIMESTAMPDIFF(MONTH, {0}, {1})|timestamp_diff(TimePointUnit.MONTH, {0}, {1})
int|date,date|TIMESTAMPDIFF(DAY, {0}, {1})|timestamp_diff(TimePointUnit.DAY, {0}, {1})
arr|int,int|ARRAY[{0}, {1}]|array({0}, {1})
arr|arr|ARRAY_DISTINCT({0})|{0}.array_distinct()
arr|arr|ARRAY_REVERSE({0})|{0}.array_reverse()
arr|arr|ARRAY_APPEND({0}, 9)|{0}.array_append(9)
arr|arr|ARRAY_REMOVE({0}, 2)|{0}.array_remove(2)
arr|arr,arr|ARRAY_UNION({0}, {1})|{0}.array_union({1})
arr|arr|ARRAY_SORT({0})|{0}.array_sort()
arr|arr|ARRAY_SLICE({0}, 1, 2)|
arrs|str|SPLIT({0}, ' ')|{0}.split(' ')
arrs|map|MAP_KEYS({0})|{0}.map_keys
arr|map|MAP_VALUES({0})|{0}.map_values
map|str,int|MAP[{0}, {1}]|map_({0}, {1})
row|int,str|CAST(ROW({0}, {1}) AS ROW<p INT, q STRING>)|
int|int|{0}|{0}
str|str|{0}|{0}
dbl|dbl|{0}|{0}
dec|dec|{0}|{0}
date|date|{0}|{0}
ts|ts|{0}|{0}
bool|bool|{0}|{0}
"""
_LITERALS = {
    "int": ["1", "2", "-3", "10"],
    "big": ["CAST(5 AS BIGINT)"],
    "dbl": ["1.5E0", "-2E0"],
    "dec": ["2.50", "-1.25"],
    "str": ["'a'", "'Flink'", "''"],
    "bool": ["TRUE", "FALSE"],
    "date": ["DATE '2024-05-06'"],
    "time": ["TIME '12:34:56'"],
    "ts": ["TIMESTAMP '2024-05-06 07:08:09.123'"],
    "arr": ["ARRAY[3, 1, 2]"],
    "arrs": ["ARRAY['q', 'r']"],
    "map": ["MAP['a', 1]"],
    "small": ["CAST(3 AS SMALLINT)"],
    "flt": ["CAST(2.5 AS FLOAT)"],
    "row": ["CAST(ROW(1, 'x') AS ROW<p INT, q STRING>)"],
}
_API_LITERALS = {
    "int": ["1", "2", "-3"],
    "dbl": ["1.5"],
    "str": ["'a'", "'Flink'"],
    "bool": ["True"],
    "dec": ["Decimal('2.50')"],
}


@dataclass(frozen=True)
class Template:
    """One kind of expression.

    Attributes:
        kind: Of its result.
        arguments: Kinds of what it takes.
        sql: Its text in SQL.
        api: Its text in the Table API; empty where there is none.
    """

    kind: str
    arguments: tuple[str, ...]
    sql: str
    api: str


def _templates() -> list[Template]:
    made = []
    for line in _TEXT.strip().splitlines():
        kind, arguments, sql, api = (part.replace("\0", "|") for part in line.replace("\\|", "\0").split("|"))
        made.append(Template(kind, tuple(arguments.split(",")), sql, api))
    return made


TEMPLATES = _templates()


class Expressions:
    """Draws expressions over columns.

    Args:
        draw: What they are drawn from.
        columns: Name -> kind.
        sql: Whether they are SQL; otherwise of the Table API.
    """

    def __init__(self, draw: Draw, columns: dict[str, str], sql: bool) -> None:
        self.draw, self.columns, self.sql = draw, columns, sql

    def column(self, name: str) -> str:
        return name if self.sql else f"col('{name}')"

    def of(self, kind: str, depth: int = 2) -> str:
        """An expression of a kind."""
        names = [name for name, each in self.columns.items() if each == kind]
        if names and (depth == 0 or self.draw.chance() < 0.25):
            return self.column(self.draw.one(names))
        options = self.options(kind)
        if not options or depth == 0 or self.draw.chance() < 0.05:
            return self.literal(kind)
        return self.build(self.draw.one(options), depth)

    def any(self, depth: int = 2) -> tuple[str, str]:
        """Kind and text of an expression of any kind that reads the columns."""
        kinds = set(self.columns.values())
        fitting = [each for each in TEMPLATES if set(each.arguments) & kinds and (self.sql or each.api)]
        template = self.draw.one(fitting)
        return template.kind, self.build(template, depth)

    def build(self, template: Template, depth: int) -> str:
        text = template.sql if self.sql else template.api
        made = [self.of(kind, depth - 1) for kind in template.arguments]
        whole = text.format(*(self.wrapped(each) for each in made))
        return f"({whole})"

    def options(self, kind: str) -> list[Template]:
        return [each for each in TEMPLATES if each.kind == kind and (self.sql or each.api)]

    def literal(self, kind: str) -> str:
        if self.sql:
            if self.draw.chance() < 0.1:
                return f"CAST(NULL AS {COLUMNS[kind][0]})"
            return self.draw.one(_LITERALS[kind])
        if kind in _API_LITERALS:
            return f"lit({self.draw.one(_API_LITERALS[kind])})"
        names = [name for name, each in self.columns.items() if each == kind]
        if names:
            return self.column(self.draw.one(names))
        return f"null_of(DataTypes.{COLUMNS[kind][1]})"

    def wrapped(self, text: str) -> str:
        return text
