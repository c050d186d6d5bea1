"""The grammar of data types."""

from __future__ import annotations

from collections.abc import Callable

from datastream.errors import ValidationError
from datastream.table.sql.cursor import Cursor
from datastream.table.sql.errors import SqlError
from datastream.table.types.data_types import DataTypes
from datastream.table.types.intervals import Resolution, interval_of
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField

_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_PLAIN: dict[str, Callable[[], DataType]] = {
    "BOOLEAN": DataTypes.BOOLEAN,
    "STRING": DataTypes.STRING,
    "BYTES": DataTypes.BYTES,
    "TINYINT": DataTypes.TINYINT,
    "SMALLINT": DataTypes.SMALLINT,
    "INT": DataTypes.INT,
    "INTEGER": DataTypes.INT,
    "BIGINT": DataTypes.BIGINT,
    "FLOAT": DataTypes.FLOAT,
    "DOUBLE": DataTypes.DOUBLE,
    "DATE": DataTypes.DATE,
    "NULL": DataTypes.NULL,
}
_SIZED: dict[str, Callable[[int], DataType]] = {
    "CHAR": DataTypes.CHAR,
    "VARCHAR": DataTypes.VARCHAR,
    "BINARY": DataTypes.BINARY,
    "VARBINARY": DataTypes.VARBINARY,
}
_OTHERS = {
    "DEC",
    "DECIMAL",
    "NUMERIC",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
    "INTERVAL",
    "ARRAY",
    "MAP",
    "MULTISET",
    "ROW",
}
_REFUSED = {
    "RAW": "values of Java's classes have no meaning here; use BYTES",
    "VARIANT": "there is no such type here; keep JSON in a STRING",
    "STRUCTURED": "structured types are Java classes; use ROW<...>",
    "REAL": "Flink's name of it is FLOAT",
    "TEXT": "Flink's name of it is STRING",
}


class TypeGrammar(Cursor):
    """Reads data types.

    Attributes:
        exact: More digits than there can be are an error, as where a type is given as a text. In a statement of SQL
            they are as many as there can be, as in Flink.
    """

    exact = False

    def data_type(self) -> DataType:
        """A data type, with NULL or NOT NULL after it; it may be NULL by default."""
        start = self.position
        try:
            made = self._nullable(self._type())
            while self.at("ARRAY") or self.at("MULTISET"):
                array = self.take().word == "ARRAY"
                made = self._nullable(DataTypes.ARRAY(made) if array else DataTypes.MULTISET(made))
        except SqlError:
            raise
        except ValidationError as error:
            raise self.error(str(error), start) from None
        return made

    def _nullable(self, made: DataType) -> DataType:
        if self.accept("NOT", "NULL"):
            return made.not_null()
        # NULL ON EMPTY, after RETURNING, belongs to the function.
        if self.at("NULL") and not self.at("NULL", "ON"):
            self.take()
        return made

    def _type(self) -> DataType:
        word = self.token.word if self.token.kind == "word" else ""
        if word in _REFUSED:
            raise self.error(f"{word}: {_REFUSED[word]}")
        if word in ("CHARACTER", "DEC", "NUMERIC"):
            word = {"CHARACTER": "CHAR"}.get(word, "DECIMAL")
        known = (*_PLAIN, *_SIZED, *_OTHERS)
        if word not in known:
            for each in known:
                self.seek(each)
            raise self.wrong("a data type")
        self.take()
        if word in _PLAIN:
            if word == "DOUBLE":
                self.accept("PRECISION")
            return _PLAIN[word]()
        if word in _SIZED:
            return self._sized(word)
        if word == "DECIMAL":
            return self._decimal()
        if word in ("TIME", "TIMESTAMP", "TIMESTAMP_LTZ"):
            return self._time(word)
        if word == "INTERVAL":
            return self._interval()
        return self._row() if word == "ROW" else self._collection(word)

    def _sized(self, word: str) -> DataType:
        if self.accept("VARYING"):
            word = f"VAR{word}"
        size = 2**31 - 1 if word.startswith("VAR") else 1
        if self.accept("("):
            size = self.integer("a length")
            self.need(")")
        if self.exact and not size:
            raise self.error(f"{word}: a length is from 1")
        return _SIZED[word](size)

    def _decimal(self) -> DataType:
        precision, scale = 10, 0
        if self.accept("("):
            precision = self.integer("a number of digits")
            if self.accept(","):
                scale = self.integer("a number of digits")
            self.need(")")
        return DataTypes.DECIMAL(self._at_most(precision, 38), scale)

    def _time(self, word: str) -> DataType:
        precision = 0 if word == "TIME" else 6
        if self.accept("("):
            precision = self._at_most(self.integer("a number of digits"), 3 if word == "TIME" else 9)
            self.need(")")
        if word != "TIMESTAMP_LTZ" and not self.accept("WITHOUT", "TIME", "ZONE"):
            if self.at("WITH", "TIME", "ZONE"):
                raise self.error(f"{word} WITH TIME ZONE is not known; TIMESTAMP_LTZ is a point in time")
            if word == "TIMESTAMP" and self.accept("WITH", "LOCAL", "TIME", "ZONE"):
                word = "TIMESTAMP_LTZ"
        if word == "TIME":
            return DataTypes.TIME(precision)
        return DataTypes.TIMESTAMP(precision) if word == "TIMESTAMP" else DataTypes.TIMESTAMP_LTZ(precision)

    def _at_most(self, digits: int, most: int) -> int:
        return digits if self.exact or digits >= 2**31 else min(digits, most)

    def _interval(self) -> DataType:
        upper = self._resolution()
        return interval_of(upper, self._resolution() if self.accept("TO") else None)

    def _resolution(self) -> Resolution:
        unit = self.need_one(*_UNITS)
        precision = {"YEAR": 2, "DAY": 2, "SECOND": 6}.get(unit, -1)
        if precision >= 0 and self.accept("("):
            precision = self.integer("a number of digits")
            self.need(")")
        return Resolution(Resolution.IntervalUnit[unit], precision)

    def _collection(self, word: str) -> DataType:
        self.need("<")
        first = self.data_type()
        if word == "MAP":
            self.need(",")
            made: DataType = DataTypes.MAP(first, self.data_type())
        else:
            made = DataTypes.ARRAY(first) if word == "ARRAY" else DataTypes.MULTISET(first)
        self._close_angle()
        return made

    def _row(self) -> DataType:
        if self.accept("<>") or self.accept("(", ")"):
            return DataTypes.ROW([])
        angle = self.need_one("<", "(") == "<"
        fields = self.list_of(self._field)
        names = [field.name for field in fields]
        if twice := [name for place, name in enumerate(names) if name in names[:place]]:
            raise self.error(f"Field names must be unique. Found duplicates: [{', '.join(twice)}]")
        if angle:
            self._close_angle()
        else:
            self.need(")")
        return DataTypes.ROW(fields)

    def _field(self) -> RowField:
        name = self.name("the name of a field")
        kind = self.data_type()
        return DataTypes.FIELD(name, kind, self.string() if self.at_string() else None)

    def _close_angle(self) -> None:
        self.need(">")
