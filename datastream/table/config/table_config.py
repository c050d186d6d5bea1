"""`TableConfig`: the settings of a table environment."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from datastream.config import Configuration
from datastream.config.duration_text import duration_text
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.old_names import warn_of_old
from datastream.table.config.sql_dialect import SqlDialect
from datastream.without_effect import without_effect

LOCAL_TIME_ZONE = "table.local-time-zone"
STATE_TTL = "table.exec.state.ttl"
DIALECT = "table.sql-dialect"
EXECUTABLE = "python.executable"
MAX_CODE_LENGTH = "table.generated-code.max-length"
#: Whether an INSERT is waited for.
DML_SYNC = "table.dml-sync"
MAX_COLUMN_WIDTH = "table.display.max-column-width"
CDC_DUPLICATES = "table.exec.source.cdc-events-duplicate"
NOT_NULL_ENFORCER = "table.exec.sink.not-null-enforcer"
UPSERT_MATERIALIZE = "table.exec.sink.upsert-materialize"
REQUIRE_ON_CONFLICT = "table.exec.sink.require-on-conflict"
NON_DETERMINISTIC_UPDATE = "table.optimizer.non-deterministic-update.strategy"
#: Whether equal parts of plans are made once, and whether tables are read once.
REUSE_SUB_PLAN = "table.optimizer.reuse-sub-plan-enabled"
REUSE_SOURCE = "table.optimizer.reuse-source-enabled"
COMPILED_OBJECTS = "table.plan.compile.catalog-objects"
RESTORED_OBJECTS = "table.plan.restore.catalog-objects"
FORCE_RECOMPILE = "table.plan.force-recompile"

#: Settings of which only some values are known -> these, and those that are known but not supported.
_CHOICES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    NOT_NULL_ENFORCER: (("error", "drop"), ()),
    "table.exec.sink.type-length-enforcer": (("ignore",), ("trim_pad", "error")),
    "table.exec.mini-batch.enabled": (("true", "false"), ()),
    CDC_DUPLICATES: (("true", "false"), ()),
    UPSERT_MATERIALIZE: (("auto", "force", "none"), ()),
    REQUIRE_ON_CONFLICT: (("true", "false"), ()),
    NON_DETERMINISTIC_UPDATE: (("ignore", "try_resolve"), ()),
    REUSE_SUB_PLAN: (("true", "false"), ()),
    REUSE_SOURCE: (("true", "false"), ()),
    COMPILED_OBJECTS: (("all", "schema", "identifier"), ()),
    RESTORED_OBJECTS: (("all", "all_enforced", "identifier"), ()),
    FORCE_RECOMPILE: (("true", "false"), ()),
}


class TableConfig:
    """The settings of a table environment, by key and by the methods for the more common ones."""

    class Builder:
        """Makes settings, for programs older than `EnvironmentSettings`."""

        def __init__(self) -> None:
            warn_of_old("TableConfig.Builder", "EnvironmentSettings.new_instance()")
            self._configuration = Configuration()

        def as_streaming_execution(self) -> TableConfig.Builder:
            """Queries give every change."""
            self._configuration.set_string("execution.runtime-mode", "STREAMING")
            return self

        def as_batch_execution(self) -> TableConfig.Builder:
            """Queries give their final rows."""
            self._configuration.set_string("execution.runtime-mode", "BATCH")
            return self

        def set_parallelism(self, parallelism: int) -> TableConfig.Builder:
            """Set the number of tasks."""
            self._configuration.set_integer("parallelism.default", parallelism)
            return self

        def set_time_zone(self, time_zone: str) -> TableConfig.Builder:
            """Set the zone of the session."""
            TableConfig(self._configuration).set_local_timezone(time_zone)
            return self

        def set_null_check(self, null_check: bool) -> TableConfig.Builder:
            """Nothing to do: NULL is always checked for."""
            return self

        def build(self) -> TableConfig:
            """The settings."""
            return TableConfig(self._configuration)

    @classmethod
    def builder(cls) -> TableConfig.Builder:
        """The old way to make settings; see `EnvironmentSettings`."""
        return TableConfig.Builder()

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    def get(self, key: str, default_value: str) -> str:
        """The value of a key, or the default if it is not set."""
        return self._configuration.get_string(key, default_value)

    def set(self, key: str, value: str) -> TableConfig:
        """Set the value of a key."""
        if not isinstance(key, str) or not isinstance(value, (str, int, float, bool)):
            raise ValidationError(f"TableConfig.set needs a key and a text, got {cut(key)} and {cut(value)}")
        check(key, str(value))
        self._configuration.set_string(key, value if isinstance(value, str) else str(value).lower())
        return self

    def get_local_timezone(self) -> str:
        """The zone in which TIMESTAMP_LTZ is shown and cast. Default: the machine's."""
        found = self.get(LOCAL_TIME_ZONE, "default")
        return machine_zone() if found == "default" else found

    def set_local_timezone(self, timezone_id: str) -> None:
        """Set the zone in which TIMESTAMP_LTZ is shown and cast, such as ``Europe/Berlin`` or ``+02:00``.

        Raises:
            ValidationError: there is no such zone.
        """
        self.set(LOCAL_TIME_ZONE, timezone_id)

    def get_max_generated_code_length(self) -> int:
        """What was set; 4000 by default."""
        return self._configuration.get_integer(MAX_CODE_LENGTH, 4000)

    @without_effect("the limit is one of Java's methods")
    def set_max_generated_code_length(self, max_generated_code_length: int) -> None:
        """Set how long generated Java methods may be."""
        if isinstance(max_generated_code_length, bool) or not isinstance(max_generated_code_length, int):
            raise ValidationError(f"set_max_generated_code_length needs an int, got {cut(max_generated_code_length)}")
        self._configuration.set_integer(MAX_CODE_LENGTH, max_generated_code_length)

    def set_idle_state_retention(self, duration: dt.timedelta) -> None:
        """Drop the state of keys that have not changed for so long. Default: state is kept for ever."""
        if not isinstance(duration, dt.timedelta):
            raise ValidationError(f"set_idle_state_retention needs a datetime.timedelta, got {cut(duration)}")
        self._configuration.set_string(STATE_TTL, duration_text(duration // dt.timedelta(milliseconds=1)))

    def get_idle_state_retention(self) -> dt.timedelta:
        """How long the state of a key is kept after its last change; zero: for ever."""
        return dt.timedelta(milliseconds=self._configuration.get_duration_ms(STATE_TTL, 0))

    def get_configuration(self) -> Configuration:
        """The settings themselves: what is set in them counts."""
        return self._configuration

    def add_configuration(self, configuration: Configuration) -> None:
        """Take over all settings of a configuration."""
        for key, value in configuration.to_dict().items():
            check(key, value)
        self._configuration.add_all(configuration)

    def to_map(self) -> dict[str, str]:
        """All settings as text."""
        return self._configuration.to_dict()

    def get_sql_dialect(self) -> int:
        """The dialect of SQL: one of `SqlDialect`."""
        return SqlDialect.DEFAULT

    def set_sql_dialect(self, sql_dialect: int) -> None:
        """Set the dialect of SQL: the default one.

        Raises:
            UnsupportedOperation: it is Hive's.
            ValidationError: there is none such.
        """
        names = {SqlDialect.DEFAULT: "default", SqlDialect.HIVE: "hive"}
        self.set(DIALECT, names.get(sql_dialect, str(sql_dialect)))

    def set_python_executable(self, python_exec: str) -> None:
        """Name the interpreter that functions run in; the same as the setting ``python.executable``."""
        self._configuration.set_string(EXECUTABLE, python_exec)

    def get_python_executable(self) -> str | None:
        """The interpreter that was set; None: this script's."""
        return self._configuration.get_string(EXECUTABLE, "") or None

    @staticmethod
    def get_default() -> TableConfig:
        """Settings without any of them set."""
        return TableConfig()

    @property
    def zone(self) -> dt.tzinfo:
        """The session's time zone."""
        return time_zone(self.get_local_timezone())


def check(key: str, value: str) -> None:
    """Raise an error where a setting is known and its value is wrong.

    Raises:
        ValidationError: there is no such time zone or dialect, or it is none of the values that there are.
        UnsupportedOperation: the dialect is Hive's, or the value is not supported.
    """
    if key == LOCAL_TIME_ZONE and value != "default":
        time_zone(value)
    if key == DIALECT and value.lower() != "default":
        if value.lower() == "hive":
            raise UnsupportedOperation("table.sql-dialect: the dialect of Hive is not available; use the default one")
        raise ValidationError(f"table.sql-dialect must be default, got {cut(value)}")
    known, refused = _CHOICES.get(key, ((), ()))
    if known and value.lower() not in known:
        if value.lower() in refused:
            raise UnsupportedOperation(f"{key}: {cut(value)} is not supported; what is: {', '.join(known)}")
        raise ValidationError(f"{key} must be one of {', '.join((*known, *refused))}, got {cut(value)}")


def time_zone(name: str) -> dt.tzinfo:
    """The zone of a name such as ``Europe/Berlin``, ``UTC``, ``GMT+08:00`` or ``-03:30``.

    Raises:
        ValidationError: there is no such zone.
    """
    import re

    found = re.fullmatch(r"(?:GMT|UTC)?([+-])(\d{1,2}):?(\d{2})?", name)
    if found:
        offset = dt.timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return dt.timezone(-offset if found[1] == "-" else offset)
    try:
        return ZoneInfo({"Z": "UTC", "GMT": "UTC"}.get(name, name))
    except (ValueError, OSError, KeyError) as error:
        raise ValidationError(
            f"{LOCAL_TIME_ZONE}: there is no time zone {cut(name)}; use a name such as Europe/Berlin or +02:00"
        ) from error


def machine_zone() -> str:
    """The name of the machine's time zone, or its offset now if the name is not known."""
    import os

    name = os.environ.get("TZ", "").lstrip(":")
    if not name:
        path = os.path.realpath("/etc/localtime")
        name = path.partition("/zoneinfo/")[2] or "UTC"
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        offset = dt.datetime.now().astimezone().strftime("%z")
        return f"{offset[:3]}:{offset[3:]}"
    return name
