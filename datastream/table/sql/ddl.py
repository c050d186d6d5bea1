"""The grammar of CREATE, ALTER and DROP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from datastream.table.plan.expressions import Position
from datastream.table.sql.cursor import Refusal
from datastream.table.sql.queries import QueryGrammar
from datastream.table.sql.statements import (
    Alter,
    ColumnSpec,
    CreateCatalog,
    CreateDatabase,
    CreateFunction,
    CreateModel,
    CreateTable,
    CreateView,
    Drop,
    Query,
    Statement,
    WatermarkSpec,
)

_MATERIALIZED = "there is no service here that refreshes tables; write an INSERT INTO that runs"
_MODELS = "models are kept by their options, and not trained here"
_BUCKETS = "tables are not cut into buckets here; leave DISTRIBUTED out"
_PARTITIONS = "partitions of a table follow from its rows and are not kept in a catalog"
_JARS = "there is no Java here, so jars have no meaning; write the function in Python"
_LIKE_WHAT = ("ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")


@dataclass
class _Elements:
    """What is in the parentheses of CREATE TABLE and ALTER TABLE ADD."""

    columns: list[ColumnSpec] = field(default_factory=list)
    places: dict[str, str | None] = field(default_factory=dict)
    watermark: WatermarkSpec | None = None
    primary_key: tuple[str, ...] | None = None
    key_name: str | None = None
    key_positions: tuple[Position, ...] = ()
    column_positions: list[Position] = field(default_factory=list)


class DefinitionGrammar(QueryGrammar):
    """Reads CREATE, ALTER, DROP."""

    def whole_query(self) -> Query:
        """A query with its text."""
        start = self.index
        tree = self.query()
        return Query(tree, self.written(start))

    def create(self) -> Statement:
        """What follows CREATE."""
        if self.accept("OR", "REPLACE"):
            raise Refusal("CREATE OR REPLACE", "a table is not replaced as one step here; write DROP, then CREATE")
        if self.at("OR", "ALTER", "MATERIALIZED") or self.at("MATERIALIZED"):
            raise Refusal("CREATE MATERIALIZED TABLE", _MATERIALIZED)
        temporary = self.accept("TEMPORARY")
        if temporary and self.accept("SYSTEM", "FUNCTION"):
            return self._create_function(temporary, True)
        if self.accept("TABLE"):
            return self._create_table(temporary)
        if self.accept("VIEW"):
            return self._create_view(temporary)
        if self.accept("FUNCTION"):
            return self._create_function(temporary, False)
        if self.accept("MODEL"):
            return self._create_model(temporary)
        if not temporary and self.accept("CATALOG"):
            exists = self.accept("IF", "NOT", "EXISTS")
            name = self.name("a catalog's name")
            comment = self._comment()
            return CreateCatalog(name, self._with(), comment, exists)
        if not temporary and self.accept("DATABASE"):
            exists = self.accept("IF", "NOT", "EXISTS")
            path = self.path("a database's name")
            comment = self._comment()
            return CreateDatabase(path, self._with(), comment, exists)
        raise self.wrong()

    def drop(self) -> Drop:
        """What follows DROP."""
        if self.at("MATERIALIZED"):
            raise Refusal("DROP MATERIALIZED TABLE", _MATERIALIZED)
        temporary = self.accept("TEMPORARY")
        system = temporary and self.accept("SYSTEM")
        kinds = (
            ("FUNCTION",)
            if system
            else ("TABLE", "VIEW", "FUNCTION", "MODEL", *(() if temporary else ("DATABASE", "CATALOG")))
        )
        kind = self.need_one(*kinds)
        exists = self.accept("IF", "EXISTS")
        path = self.path()
        cascade = kind == "DATABASE" and self.accept_one("CASCADE", "RESTRICT") == "CASCADE"
        return Drop(kind, path, exists, temporary, system, cascade)

    def alter(self) -> Alter:
        """What follows ALTER."""
        if self.at("MATERIALIZED"):
            raise Refusal("ALTER MATERIALIZED TABLE", _MATERIALIZED)
        if self.accept("TEMPORARY"):
            self.accept("SYSTEM")
            kind = self.need_one("FUNCTION")
        else:
            kind = self.need_one("TABLE", "VIEW", "DATABASE", "CATALOG", "FUNCTION", "MODEL")
        exists = kind in ("TABLE", "FUNCTION", "MODEL") and self.accept("IF", "EXISTS")
        path = self.path()
        actions: dict[str, Callable[[], tuple[str, dict[str, Any]]]] = {
            "TABLE": self._alter_table,
            "VIEW": self._alter_view,
            "FUNCTION": self._alter_function,
            "MODEL": self._alter_model,
        }
        action, arguments = actions.get(kind, lambda: self._alter_options(kind))()
        return Alter(kind, path, action, arguments, exists)

    def _create_table(self, temporary: bool) -> CreateTable:
        exists = self.accept("IF", "NOT", "EXISTS")
        path = self.path("a table's name")
        elements = self._elements() if self.at("(") else _Elements()
        comment = self._comment()
        if self.at("DISTRIBUTED"):
            raise Refusal("DISTRIBUTED", _BUCKETS)
        placed = self.placed_names() if self.accept("PARTITIONED", "BY") else ()
        options = self._with()
        like: tuple[str, ...] | None = None
        like_options: tuple[str, ...] = ()
        query: Query | None = None
        if self.accept("LIKE"):
            like = self.path("a table's name")
            like_options = self._like_options() if self.at("(") else ()
        elif self.accept("AS"):
            query = self.whole_query()
        for column in elements.columns:
            if query is None and column.type is None and column.expression is None:
                raise self.error(f"column {column.name} has no type; only CREATE TABLE ... AS takes names alone")
        if like is None and query is None:
            self._check_columns(elements, placed)
        return CreateTable(
            path,
            tuple(elements.columns),
            elements.watermark,
            elements.primary_key,
            elements.key_name,
            options,
            tuple(name for name, _ in placed),
            comment,
            like,
            like_options,
            query,
            temporary,
            exists,
        )

    def _check_columns(self, elements: _Elements, partitions: tuple[tuple[str, Position], ...]) -> None:
        """Raise an error where a column is there twice, or the primary key or PARTITIONED BY names one that is not."""
        names = [column.name for column in elements.columns]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise self.error(f"A column named '{name}' already exists", elements.column_positions[place])
        keys = zip(elements.primary_key or (), elements.key_positions, strict=True)
        for what, named in (("Primary key column", keys), ("Partition column", iter(partitions))):
            for name, position in named:
                if name not in names:
                    known = f"; there are {', '.join(names)}" if names else ""
                    raise self.error(f"{what} '{name}' is not defined{known}", position)

    def _create_view(self, temporary: bool) -> CreateView:
        exists = self.accept("IF", "NOT", "EXISTS")
        path = self.path("a view's name")
        comments: dict[str, str] = {}

        def column() -> str:
            name = self.name("the name of a column")
            if self.accept("COMMENT"):
                comments[name] = self.string()
            return name

        columns = self.wrapped(column) if self.at("(") else ()
        comment = self._comment()
        self.need("AS")
        return CreateView(path, self.whole_query(), columns, comments, comment, temporary, exists)

    def _create_function(self, temporary: bool, system: bool) -> CreateFunction:
        exists = self.accept("IF", "NOT", "EXISTS")
        path = self.path("a function's name")
        target, language = self._function_target()
        return CreateFunction(path, target, language, temporary, system, exists)

    def _function_target(self) -> tuple[str, str]:
        self.need("AS")
        target = self.string("module and name in single quotes")
        language = self.need_one("PYTHON", "JAVA", "SCALA") if self.accept("LANGUAGE") else "JAVA"
        if self.at("USING"):
            raise Refusal("USING JAR", _JARS)
        return target, language

    def _comment(self) -> str | None:
        return self.string() if self.accept("COMMENT") else None

    def _with(self) -> dict[str, str]:
        return self.options() if self.accept("WITH") else {}

    def _like_options(self) -> tuple[str, ...]:
        found: list[str] = []
        self.need("(")
        while not self.at(")"):
            how = self.need_one("INCLUDING", "EXCLUDING", "OVERWRITING")
            found.append(f"{how} {self.need_one(*_LIKE_WHAT)}")
        self.need(")")
        return tuple(found)

    def _create_model(self, temporary: bool) -> CreateModel:
        exists = self.accept("IF", "NOT", "EXISTS")
        path = self.path("a model's name")
        inputs = self._elements().columns if self.accept("INPUT") else ()
        outputs = self._elements().columns if self.accept("OUTPUT") else ()
        comment = self._comment()
        options = self._with()
        if self.at("AS"):
            raise Refusal("CREATE MODEL AS", _MODELS)
        return CreateModel(path, tuple(inputs), tuple(outputs), options, comment, temporary, exists)

    def _elements(self) -> _Elements:
        found = _Elements()
        self.wrapped(lambda: self._element(found))
        return found

    def _element(self, found: _Elements) -> None:
        start = self.position
        if self.accept("WATERMARK", "FOR"):
            if found.watermark is not None:
                raise self.error("a table has one watermark", start)
            column = ".".join(self.path("the name of a column"))
            self.need("AS")
            found.watermark = WatermarkSpec(column, self.expression())
            return
        name = self.name("a constraint's name") if self.accept("CONSTRAINT") else None
        if self.accept("PRIMARY", "KEY"):
            keys = self.placed_names()
            self._put_key(found, keys, name, start)
            return
        if name is not None or self.at("UNIQUE", "("):
            self.need("PRIMARY", "KEY")
        column_name = self._column(found)
        if self.accept("FIRST"):
            found.places[column_name] = None
        elif self.accept("AFTER"):
            found.places[column_name] = self.name("the name of a column")

    def _put_key(
        self, found: _Elements, keys: tuple[tuple[str, Position], ...], name: str | None, start: Position
    ) -> None:
        if found.primary_key is not None:
            raise self.error("a table has one primary key", start)
        if not self.at("NOT", "ENFORCED"):
            raise self.error(
                "a PRIMARY KEY has to be followed by NOT ENFORCED: nothing here sees to it that its values are unique"
            )
        self.need("NOT", "ENFORCED")
        found.primary_key, found.key_name = tuple(each for each, _ in keys), name
        found.key_positions = tuple(position for _, position in keys)

    def _column(self, found: _Elements) -> str:
        start = self.position
        name = self.name("the name of a column")
        found.column_positions.append(start)
        if self.accept("AS"):
            expression = self.expression()
            found.columns.append(ColumnSpec(name, expression=expression, comment=self._comment()))
            return name
        if self.at(",") or self.at(")"):
            self.seek("a data type")
            found.columns.append(ColumnSpec(name))
            return name
        kind = self.data_type()
        start = self.position
        metadata, virtual = None, False
        if self.accept("METADATA"):
            metadata = self.string("the key in single quotes") if self.accept("FROM") else name
            virtual = self.accept("VIRTUAL")
        named = self.name("a constraint's name") if self.accept("CONSTRAINT") else None
        if self.accept("PRIMARY", "KEY"):
            self._put_key(found, ((name, start),), named, start)
        elif named is not None:
            raise self.wrong()
        found.columns.append(ColumnSpec(name, kind, None, metadata, virtual, self._comment()))
        return name

    def _alter_table(self) -> tuple[str, dict[str, Any]]:
        if self.accept("RENAME", "TO"):
            return "rename", {"to": self.path("a table's name")}
        if self.accept("RENAME"):
            column = self.name("the name of a column")
            self.need("TO")
            return "rename column", {"column": column, "to": self.name("the name of a column")}
        if self.at("ADD") or self.at("MODIFY"):
            return self._alter_elements(self.take().word)
        if self.accept("DROP"):
            return self._alter_drop()
        return self._alter_options("TABLE")

    def _alter_elements(self, word: str) -> tuple[str, dict[str, Any]]:
        if self.at("PARTITION") or self.at("IF"):
            raise Refusal("ALTER TABLE ADD PARTITION", _PARTITIONS)
        if self.at("DISTRIBUTION"):
            raise Refusal(f"ALTER TABLE {word} DISTRIBUTION", _BUCKETS)
        found = _Elements()
        if self.at("("):
            found = self._elements()
        else:
            self._element(found)
        for column in found.columns:
            if column.type is None and column.expression is None:
                raise self.error(f"column {column.name} has no type")
        return word.lower(), {
            "columns": tuple(found.columns),
            "places": found.places,
            "watermark": found.watermark,
            "primary_key": found.primary_key,
            "key_name": found.key_name,
        }

    def _alter_drop(self) -> tuple[str, dict[str, Any]]:
        if self.at("PARTITION") or self.at("IF"):
            raise Refusal("ALTER TABLE DROP PARTITION", _PARTITIONS)
        if self.at("DISTRIBUTION"):
            raise Refusal("ALTER TABLE DROP DISTRIBUTION", _BUCKETS)
        if self.accept("WATERMARK"):
            return "drop watermark", {}
        if self.accept("PRIMARY", "KEY"):
            return "drop primary key", {"key_name": None}
        if self.accept("CONSTRAINT"):
            return "drop primary key", {"key_name": self.name("a constraint's name")}
        return "drop", {"names": self.names() if self.at("(") else (self.name("the name of a column"),)}

    def _alter_view(self) -> tuple[str, dict[str, Any]]:
        if self.accept("RENAME", "TO"):
            return "rename", {"to": self.path("a view's name")}
        self.need("AS")
        return "as", {"query": self.whole_query()}

    def _alter_model(self) -> tuple[str, dict[str, Any]]:
        if self.accept("RENAME", "TO"):
            return "rename", {"to": self.path("a model's name")}
        return self._alter_options("MODEL")

    def _alter_function(self) -> tuple[str, dict[str, Any]]:
        target, language = self._function_target()
        return "as", {"target": target, "language": language}

    def _alter_options(self, kind: str) -> tuple[str, dict[str, Any]]:
        if kind == "CATALOG" and self.at("COMMENT"):
            raise Refusal("ALTER CATALOG COMMENT", "a catalog keeps the comment that it was made with")
        if self.accept("SET"):
            return "set", {"options": self.options()}
        if self.accept("RESET"):
            return "reset", {"keys": self.wrapped(lambda: self.string("a key in single quotes"))}
        raise self.wrong()
