"""Generates the code that writes single values: numbers, text, times."""

from __future__ import annotations

from datastream.formats.avro.code import Code
from datastream.formats.avro.kinds import Kind
from datastream.formats.avro.nodes import Enumeration, Fixed, Primitive
from datastream.formats.avro.to_type import natural_type
from datastream.formats.avro.varints import varint
from datastream.formats.avro.writing_values import SCOPE
from datastream.types import TypeInformation, Types

#: Bits without the sign.
_BITS = {Types.BYTE(): 7, Types.SHORT(): 15}


class LeafWriter:
    """The code checks the value in the variable `v`; what the methods give are the expressions of its bytes."""

    def __init__(self) -> None:
        self.code = Code(**SCOPE)

    def check(self, wrong: str, v: str, kind: Kind) -> None:
        """Code that takes the careful way with a value that is `wrong`."""
        with self.code.block(f"if {wrong}"):
            self.code.line(f"{v} = fixed_up({v}, {self.code.bind(kind, 't')})")

    def number(self, number: str) -> list[str]:
        """The bytes of a whole number."""
        part = self.code.variable("p")
        self.code.line(f"z = {number}")
        self.code.line("z = z << 1 ^ z >> 63")
        self.code.line(f"{part} = SHORT[z] if z < 16384 else long_varint(z)")
        return [part]

    def with_length(self, data: str) -> list[str]:
        """The bytes of bytes."""
        part, content = self.code.variable("p"), self.code.variable("s")
        self.code.line(f"{content} = {data}")
        self.code.line(f"z = len({content}) << 1")
        self.code.line(f"{part} = SHORT[z] if z < 16384 else long_varint(z)")
        return [part, content]

    def primitive(self, node: Primitive, kind: Kind, v: str) -> list[str]:
        if node.logical is not None:
            return self._logical(node, kind, v)
        natural = kind if isinstance(kind, TypeInformation) else natural_type(node)
        match node.kind:
            case "null":
                self.check(f"{v} is not None", v, natural)
                return []
            case "boolean":
                self.check(f"type({v}) is not bool", v, natural)
                return [f"(b'\\1' if {v} else b'\\0')"]
            case "int" | "long":
                half = 1 << _BITS.get(natural, 31 if node.kind == "int" else 63)
                self.check(f"type({v}) is not int or not {-half} <= {v} < {half}", v, natural)
                return self.number(v)
            case "float":
                self.check(f"type({v}) is not float or not -FLOAT_MAX <= {v} <= FLOAT_MAX", v, natural)
                return [f"pack_float({v})"]
            case "double":
                self.check(f"type({v}) is not float", v, natural)
                return [f"pack_double({v})"]
            case "bytes":
                self.check(f"type({v}) is not bytes", v, natural)
                return self.with_length(v)
        if natural == Types.BIG_INT():
            self.check(f"type({v}) is not int", v, natural)
            return self.with_length(f"str({v}).encode()")
        self.check(f"type({v}) is not str{f' or len({v}) != 1' if natural == Types.CHAR() else ''}", v, natural)
        return self.with_length(f"{v}.encode()")

    def _logical(self, node: Primitive, kind: Kind, v: str) -> list[str]:
        match node.logical:
            case "date":
                self.check(f"type({v}) is not date", v, Types.SQL_DATE())
                return self.number(f"{v}.toordinal() - 719163")
            case "time-millis" | "time-micros":
                self.check(f"type({v}) is not time or {v}.tzinfo is not None", v, Types.SQL_TIME())
                number = f"(({v}.hour * 60 + {v}.minute) * 60 + {v}.second) * 1000000 + {v}.microsecond"
                return self.number(number if node.logical == "time-micros" else f"millis({number})")
            case "decimal":
                self.check(f"type({v}) is not Decimal or not {v}.is_finite()", v, Types.BIG_DEC())
                return self.with_length(f"decimal_bytes({v}, {node.precision}, {node.scale})")
            case "uuid":
                if kind is not None:
                    self.check(f"type({v}) is not str", v, kind)
                    return self.with_length(f"{v}.encode()")
                return self.with_length(f"uuid_text({v}).encode()")
            case "python-pickle":
                return self.with_length(f"dumps({v})")
        return self._timestamp(str(node.logical), kind, v)

    def _timestamp(self, logical: str, kind: Kind, v: str) -> list[str]:
        unit = logical.rpartition("-")[2]
        if kind == Types.INSTANT() or unit == "nanos":
            self.check(f"type({v}) is not Instant", v, Types.INSTANT())
            return self.number(f"instant_{unit}({v})")
        if kind is None and logical.startswith("timestamp"):
            with self.code.block(f"if type({v}) is not datetime or {v}.tzinfo is None"):
                self.code.line(f"{v} = zoned({v})")
            self.code.line(f"z = {v} - EU")
        else:
            self.check(f"type({v}) is not datetime or {v}.tzinfo is not None", v, Types.SQL_TIMESTAMP())
            self.code.line(f"z = {v} - E")
        number = "(z.days * 86400 + z.seconds) * 1000000 + z.microseconds"
        return self.number(number if unit == "micros" else f"millis({number})")

    def fixed(self, node: Fixed, v: str) -> list[str]:
        if node.logical:
            self.check(f"type({v}) is not Decimal or not {v}.is_finite()", v, Types.BIG_DEC())
            return [f"decimal_fixed({v}, {node.precision}, {node.scale}, {node.size})"]
        self.check(f"type({v}) is not bytes", v, Types.PRIMITIVE_ARRAY(Types.BYTE()))
        with self.code.block(f"if len({v}) != {node.size}"):
            self.code.line(f"bad(f'expected {node.size} bytes, found {{len({v})}}')")
        return [v]

    def enumeration(self, node: Enumeration, v: str) -> list[str]:
        part = self.code.variable("p")
        symbols = self.code.bind({symbol: varint(index) for index, symbol in enumerate(node.symbols)})
        self.check(f"type({v}) is not str", v, Types.STRING())
        self.code.line(f"{part} = {symbols}.get({v})")
        with self.code.block(f"if {part} is None"):
            self.code.line(f"bad(f'the enum {node.name} has no symbol {{cut({v})}}, only {{cut(list({symbols}))}}')")
        return [part]
