"""Generates the code that reads single values: numbers, text, times."""

from __future__ import annotations

import struct

from datastream.errors import ValidationError
from datastream.formats.avro.code import Code
from datastream.formats.avro.kinds import Kind, Raw
from datastream.formats.avro.nodes import Enumeration, Fixed, Node, Primitive, name_of
from datastream.formats.avro.reading_values import SCOPE
from datastream.formats.avro.resolution import symbols_for
from datastream.types import Types

#: Bits without the sign.
_LIMITS = {Types.BYTE(): 7, Types.SHORT(): 15}
_FLOAT = struct.Struct("<f").unpack_from
_DOUBLE = struct.Struct("<d").unpack_from


class LeafReader:
    """The code reads from ``d[i]`` on and moves ``i`` after what it has read."""

    def __init__(self) -> None:
        self.code = Code(**SCOPE, float_at=_FLOAT, double_at=_DOUBLE)

    def zigzag(self) -> None:
        """Code that sets b to a number as it is written."""
        line, block = self.code.line, self.code.block
        line("b = d[i]; i += 1")
        with block("if b > 127"):
            line("c = d[i]; i += 1")
            with block("if c < 128"):
                line("b = b & 127 | c << 7")
            with block("else"):
                line("b, i = more(d, i, b & 127 | (c & 127) << 7)")

    def length(self) -> None:
        """Code that sets j to the end of what has a length."""
        self.zigzag()
        with self.code.block("if b & 1"):
            self.code.line("bad('a length is negative')")
        self.code.line("j = i + (b >> 1)")

    def leaf(self, w: Node, r: Node, kind: Kind, target: str) -> None:
        """Code for a value that is not made of others."""
        line = self.code.line
        if isinstance(w, Enumeration):
            self._enumeration(w, r, target)
            return
        if isinstance(w, Fixed):
            line(f"{target} = d[i:i + {w.size}]")
            with self.code.block(f"if len({target}) != {w.size}"):
                line("bad('the bytes end too early')")
            line(f"i += {w.size}")
            found = target
        else:
            assert isinstance(w, Primitive) and isinstance(r, Primitive)
            found = self._promoted(w.kind, r.kind, self._primitive(w.kind))
        if isinstance(r, (Primitive, Fixed)) and not isinstance(kind, Raw):
            found = _logical(r, kind, found)
        if found != target:
            line(f"{target} = {found}")
        if not isinstance(kind, Raw):
            self._check_kind(kind, target)

    def _primitive(self, kind: str) -> str:
        line = self.code.line
        match kind:
            case "null":
                return "None"
            case "boolean":
                line("x = BOOLS.get(d[i]); i += 1")
                with self.code.block("if x is None"):
                    line("bad(f'the byte {d[i - 1]} is no boolean')")
                return "x"
            case "int" | "long":
                self.zigzag()
                if kind == "int":
                    with self.code.block("if b > 0xFFFFFFFF"):
                        line("bad('a number has more than 32 bits')")
                return "(b >> 1 ^ -(b & 1))"
            case "float":
                line("x, = float_at(d, i); i += 4")
                return "x"
            case "double":
                line("x, = double_at(d, i); i += 8")
                return "x"
        self.length()
        line("x = d[i:j]; i = j" if kind == "bytes" else "x = d[i:j].decode(); i = j")
        if kind == "bytes":  # text that ends too early fails after it; bytes may be made into a number
            with self.code.block("if i > len(d)"):
                line("bad('the bytes end too early')")
        return "x"

    @staticmethod
    def _promoted(w: str, r: str, found: str) -> str:
        if w == r or (w, r) in (("int", "long"), ("float", "double")):
            return found
        if r in ("float", "double"):
            return f"float({found})"
        return f"{found}.encode()" if r == "bytes" else f"{found}.decode()"

    def _check_kind(self, kind: Kind, target: str) -> None:
        if kind in _LIMITS:
            bits = _LIMITS[kind]
            with self.code.block(f"if not {-(1 << bits)} <= {target} < {1 << bits}"):
                self.code.line(f"bad(f'{{{target}}} has more than {bits + 1} bits')")
        elif kind == Types.CHAR():
            with self.code.block(f"if len({target}) != 1"):
                self.code.line("bad('a text is not one character long')")

    def _enumeration(self, w: Enumeration, r: Node, target: str) -> None:
        assert isinstance(r, Enumeration)
        line = self.code.line
        symbols = symbols_for(w, r)
        self.zigzag()
        with self.code.block(f"if b & 1 or b > {2 * len(symbols) - 2}"):
            line(f"bad('the {name_of(w)} has no symbol of this number')")
        line(f"{target} = {self.code.bind(symbols)}[b >> 1]")
        if None in symbols:
            with self.code.block(f"if {target} is None"):
                line(f"bad(f'the {name_of(r)} has no symbol {{{self.code.bind(w.symbols)}[b >> 1]}}, nor a default')")


def _logical(node: Primitive | Fixed, kind: Kind, found: str) -> str:
    match node.logical:
        case None:
            return f"whole_of({found})" if kind == Types.BIG_INT() else found
        case "date":
            return f"date_of({found})"
        case "time-millis":
            return f"time_of({found} * 1000)"
        case "time-micros":
            return f"time_of({found})"
        case "decimal":
            return f"decimal_of({found}, {node.precision}, {node.scale})"
        case "uuid":
            return f"uuid_of({found})" if kind is None else found
        case "python-pickle":
            raise ValidationError(
                "The schema holds pickled Python objects (PICKLED_BYTE_ARRAY), which are not read from outside: "
                "give the fields types of their own."
            )
        case "timestamp-nanos":
            return f"instant_of_nanos({found})"
    unit = node.logical.rpartition("-")[2]
    if kind == Types.INSTANT():
        return f"instant_of_{unit}({found})"
    zone = "EU" if kind is None and node.logical.startswith("timestamp") else "E"
    return f"{zone} + td(0, 0, {'0, ' if unit == 'millis' else ''}{found})"
