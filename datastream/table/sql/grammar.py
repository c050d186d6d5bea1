"""The grammar of statements."""

from __future__ import annotations

from collections.abc import Callable

from datastream.table.sql.cursor import Refusal
from datastream.table.sql.ddl import DefinitionGrammar
from datastream.table.sql.statements import (
    CompilePlan,
    Describe,
    ExecutePlan,
    Explain,
    Insert,
    LoadModule,
    Quit,
    Refused,
    Reset,
    Set,
    Show,
    Statement,
    StatementSetBlock,
    UnloadModule,
    Use,
)

_CHANGES = "rows of a table are not changed in place here; write INSERT INTO, with a primary key where rows are updated"
_JOBS = "jobs are listed and stopped by `datastream list` and `datastream stop`"
_PLANS = "a plan in a file is shown by print(t_env.load_plan(PlanReference.from_file(...)).explain())"
_JARS = "there is no Java here, so jars have no meaning"
_REFUSED = {
    "UPDATE": _CHANGES,
    "DELETE": _CHANGES,
    "MERGE": _CHANGES,
    "TRUNCATE": "a table is not emptied here: empty it where it lies",
    "CALL": "there are no procedures here",
    "ANALYZE": "plans use no statistics of tables",
    "STOP": _JOBS,
    "ADD": _JARS,
    "REMOVE": _JARS,
}
_DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE")
_SHOW_ALL = ("CATALOGS", "DATABASES", "TABLES", "VIEWS", "FUNCTIONS", "MODELS", "MODULES", "JARS", "JOBS")
_SHOW_REFUSED = {
    "PROCEDURES": "there are no procedures here",
    "MATERIALIZED": "there are no materialized tables here",
}


class StatementGrammar(DefinitionGrammar):
    """Reads statements."""

    _in_set = False

    def statements(self) -> list[tuple[Statement, str]]:
        """All statements, with semicolons between them, each with its own text; QUIT is the last one."""
        found: list[tuple[Statement, str]] = []
        while True:
            while self.accept(";"):
                pass
            if self.token.kind == "end":
                return found
            start = self.token.start
            statement = self._whole_statement()
            found.append((statement, self.text[start : self.tokens[self.index - 1].end]))
            if self.token.kind != "end" and not self.at(";"):
                self.seek("; or the end")
                raise self.wrong()
            if isinstance(statement, Quit):
                return found

    def _whole_statement(self) -> Statement:
        try:
            return self.statement()
        except Refusal as refusal:
            self._skip()
            return Refused(refusal.what, refusal.reason)

    def _skip(self) -> None:
        """Go to the end of the statement, and of the statement set that it stands in."""
        while self.token.kind != "end" and (self._in_set or not self.at(";")):
            if self.take().word == "END" and self._in_set and (self.at(";") or self.token.kind == "end"):
                break
        self._in_set = False

    def statement(self) -> Statement:
        """A statement.

        Raises:
            Refusal: Flink knows it, and it is not supported here.
        """
        word = self.token.word
        if word in ("SELECT", "WITH", "VALUES", "(", "TABLE"):
            return self.whole_query()
        if word in _REFUSED:
            raise Refusal(" ".join(self._first_words(word)), _REFUSED[word])
        known: dict[str, Callable[[], Statement]] = {
            "INSERT": self._insert,
            "CREATE": self.create,
            "ALTER": self.alter,
            "DROP": self.drop,
            "USE": self._use,
            "SHOW": self._show,
            "DESCRIBE": self._describe,
            "DESC": self._describe,
            "EXPLAIN": self._explain,
            "SET": self._set,
            "RESET": self._reset,
            "EXECUTE": self._execute,
            "COMPILE": self._compile,
            "BEGIN": self._begin,
            "LOAD": self._load,
            "UNLOAD": self._unload,
            "QUIT": Quit,
            "EXIT": Quit,
        }
        if word not in known:
            for each in ("SELECT", "WITH", "VALUES", *known, *_REFUSED):
                self.seek(each)
            raise self.wrong("a statement")
        self.take()
        return known[word]()

    def _first_words(self, word: str) -> list[str]:
        second = self.ahead().word
        return [word, second] if second in ("JAR", "JOB", "TABLE", "PLAN", "FROM") and word != "DELETE" else [word]

    def _insert(self) -> Insert:
        overwrite = self.need_one("INTO", "OVERWRITE") == "OVERWRITE"
        self.accept("TABLE")
        table = self.position
        path = self.path("a table's name")
        options: dict[str, str] = {}
        for hint in self.hints(("OPTIONS",)):
            options |= hint.options
        partition: dict[str, str] = {}
        free: list[str] = []
        if self.accept("PARTITION"):
            for name, value in self.wrapped(self._partition_column):
                if value is None:
                    free.append(name)
                else:
                    partition[name] = value
        at = self.position
        placed = self.placed_names() if self.at("(") and not self.at_query() else None
        columns = None if placed is None else tuple(name for name, _ in placed)
        positions = (at,) if placed is None else tuple(position for _, position in placed)
        if columns is not None:
            # A partition's column without a value is a column like the others, the last ones of the query.
            columns = (*columns, *(name for name in free if name not in columns))
        query = self.whole_query()
        conflict = None
        if self.accept("ON", "CONFLICT", "DO"):
            conflict = self.need_one("NOTHING", "ERROR", "DEDUPLICATE").lower()
        return Insert(path, query, columns, overwrite, partition, options, conflict, positions, table)

    def _partition_column(self) -> tuple[str, str | None]:
        name = self.name("the name of a column")
        if not self.accept("="):
            return name, None
        if self.at_string():
            return name, self.string()
        if self.at("DATE"):
            self.take()
            return name, self.string("a date in single quotes")
        sign = "-" if self.accept("-") else ""
        if self.token.kind != "number" and not (not sign and (self.at("TRUE") or self.at("FALSE"))):
            raise self.wrong("a constant")
        return name, sign + self.take().text.lower()

    def _use(self) -> Use:
        if self.accept("CATALOG"):
            return Use("CATALOG", (self.name("a catalog's name"),))
        if self.accept("MODULES"):
            return Use("MODULES", self.list_of(lambda: self.name("a module's name")))
        return Use("DATABASE", self.path("a database's name"))

    def _show(self) -> Show:
        for word, reason in _SHOW_REFUSED.items():
            if self.at(word):
                raise Refusal(f"SHOW {word}", reason)
        if self.accept("CURRENT"):
            return Show(f"CURRENT {self.need_one('CATALOG', 'DATABASE')}")
        if self.accept("FULL"):
            self.need("MODULES")
            return Show("FULL MODULES")
        if self.accept("CREATE"):
            if self.at("MATERIALIZED"):
                raise Refusal(f"SHOW CREATE {self.token.word}", "its text is not kept; see DESCRIBE")
            return Show(f"CREATE {self.need_one('TABLE', 'VIEW', 'CATALOG', 'MODEL')}", self.path())
        if self.accept("PARTITIONS"):
            path = self.path("a table's name")
            if self.at("PARTITION"):
                raise self.error("SHOW PARTITIONS shows all of a table; it takes no PARTITION (...) here")
            return Show("PARTITIONS", path)
        if self.accept("COLUMNS"):
            self.need_one("FROM", "IN")
            return self._pattern("COLUMNS", self.path("a table's name"))
        if self.accept("USER"):
            self.need("FUNCTIONS")
            return self._in_database("USER FUNCTIONS")
        what = self.need_one(*_SHOW_ALL)
        if what in ("DATABASES", "TABLES", "VIEWS", "FUNCTIONS", "MODELS"):
            return self._in_database(what)
        return self._pattern(what, ()) if what == "CATALOGS" else Show(what)

    def _in_database(self, what: str) -> Show:
        return self._pattern(what, self.path() if self.accept_one("FROM", "IN") else ())

    def _pattern(self, what: str, path: tuple[str, ...]) -> Show:
        negated = self.accept("NOT")
        kind = self.need_one("LIKE", "ILIKE") if negated else self.accept_one("LIKE", "ILIKE")
        if kind is None:
            return Show(what, path)
        return Show(what, path, self.string("a pattern in single quotes"), negated, kind == "ILIKE")

    def _describe(self) -> Describe:
        if self.at("JOB"):
            raise Refusal("DESCRIBE JOB", _JOBS)
        kind = "TABLE"
        if self.is_name(self.ahead()) and not self.at("EXTENDED"):
            kind = self.need_one("DATABASE", "CATALOG", "FUNCTION", "MODEL")
        extended = self.at("EXTENDED") and self.is_name(self.ahead()) and self.accept("EXTENDED")
        return Describe(kind, self.path(), extended)

    def _explain(self) -> Explain:
        details: tuple[str, ...] = ()
        if not self.accept("PLAN", "FOR") and self.token.word in _DETAILS:
            details = self.list_of(lambda: self.need_one(*_DETAILS))
        if self.at("PLAN"):
            raise Refusal("EXPLAIN PLAN", _PLANS)
        if self.accept("STATEMENT", "SET"):
            self.need("BEGIN")
            return Explain(self._block(), details)
        if self.token.word in ("SELECT", "WITH", "VALUES", "(", "TABLE"):
            return Explain(self.whole_query(), details)
        if self.accept("INSERT"):
            return Explain(self._insert(), details)
        if self.accept("CREATE"):
            return Explain(self.create(), details)
        for each in ("SELECT", "WITH", "VALUES"):
            self.seek(each)
        raise self.wrong()

    def _set(self) -> Set:
        if self.token.kind == "end" or self.at(";"):
            return Set()
        key = self._key()
        self.need("=")
        if self.at_string():
            return Set(key, self.string())
        return Set(key, self._raw("a value in single quotes"))

    def _reset(self) -> Reset:
        if self.token.kind == "end" or self.at(";"):
            return Reset()
        return Reset(self._key())

    def _key(self) -> str:
        return self.string() if self.at_string() else self._raw("a key in single quotes")

    def _raw(self, what: str) -> str:
        """Words, numbers and dots up to a blank."""
        start = self.index
        while self.token.kind in ("word", "number") or self.at(".") or self.at("-"):
            if self.index > start and self.token.start != self.tokens[self.index - 1].end:
                break
            self.take()
        if self.index == start:
            raise self.wrong(what)
        return self.written(start)

    def _execute(self) -> Statement:
        if self.accept("PLAN"):
            return ExecutePlan(self.string("the path of a file in single quotes"))
        if self.at("STATEMENT") or self.at("INSERT"):
            return self._inserts()
        if self.token.word in ("SELECT", "WITH", "VALUES", "("):
            return self.whole_query()
        raise self.wrong()

    def _compile(self) -> CompilePlan:
        execute = self.accept("AND", "EXECUTE")
        self.need("PLAN")
        file = self.string("the path of a file in single quotes")
        if_not_exists = not execute and self.accept("IF", "NOT", "EXISTS")
        self.need("FOR")
        return CompilePlan(file, self._inserts(), if_not_exists, execute)

    def _inserts(self) -> Insert | StatementSetBlock:
        if self.accept("STATEMENT"):
            self.need("SET")
            self.need("BEGIN")
            return self._block()
        self.need("INSERT")
        return self._insert()

    def _begin(self) -> StatementSetBlock:
        self.need("STATEMENT", "SET")
        self.need(";")
        return self._block()

    def _block(self) -> StatementSetBlock:
        found: list[Insert] = []
        self._in_set = True
        while True:
            while self.at(";"):
                self.take()
            if found and self.accept("END"):
                self._in_set = False
                return StatementSetBlock(tuple(found))
            self.need("INSERT")
            found.append(self._insert())
            if not self.at("END"):
                self.need(";")

    def _load(self) -> LoadModule:
        self.need("MODULE")
        name = self.name("a module's name")
        return LoadModule(name, self._with())

    def _unload(self) -> UnloadModule:
        self.need("MODULE")
        return UnloadModule(self.name("a module's name"))
