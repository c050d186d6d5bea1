"""`EnvironmentSettings`: what an environment is made with."""

from __future__ import annotations

from typing import Any

from datastream.config import Configuration
from datastream.errors import ValidationError, cut
from datastream.old_names import warn_of_old

RUNTIME_MODE = "execution.runtime-mode"


class EnvironmentSettings:
    """The mode, the settings and the names of the built-in catalog and database of a `TableEnvironment`."""

    class Builder:
        """Makes settings; the mode is streaming unless it is set."""

        def __init__(self) -> None:
            self._configuration = Configuration()
            self._catalog = "default_catalog"
            self._database = "default_database"

        def __getattr__(self, name: str) -> Any:
            if name not in ("use_blink_planner", "use_old_planner", "use_any_planner"):
                raise AttributeError(f"'Builder' object has no attribute '{name}'", name=name, obj=self)
            warn_of_old(f"EnvironmentSettings.Builder.{name}", "no planner: there is one only")
            return lambda: self

        def with_configuration(self, config: Configuration) -> EnvironmentSettings.Builder:
            """Take over all settings of a configuration."""
            if not isinstance(config, Configuration):
                raise ValidationError(f"with_configuration needs a Configuration, got {cut(config)}")
            self._configuration.add_all(config)
            return self

        def in_batch_mode(self) -> EnvironmentSettings.Builder:
            """Queries give their final rows."""
            self._configuration.set_string(RUNTIME_MODE, "BATCH")
            return self

        def in_streaming_mode(self) -> EnvironmentSettings.Builder:
            """Queries give every change."""
            self._configuration.set_string(RUNTIME_MODE, "STREAMING")
            return self

        def with_built_in_catalog_name(self, built_in_catalog_name: str) -> EnvironmentSettings.Builder:
            """Name the catalog that is there from the start. Default: ``default_catalog``."""
            self._catalog = _name("with_built_in_catalog_name", built_in_catalog_name)
            return self

        def with_built_in_database_name(self, built_in_database_name: str) -> EnvironmentSettings.Builder:
            """Name the database that is there from the start. Default: ``default_database``."""
            self._database = _name("with_built_in_database_name", built_in_database_name)
            return self

        def build(self) -> EnvironmentSettings:
            """The settings."""
            return EnvironmentSettings(self._configuration, self._catalog, self._database)

    def __init__(self, configuration: Configuration, catalog: str, database: str) -> None:
        self._configuration = Configuration(configuration)
        self._catalog, self._database = catalog, database

    def get_built_in_catalog_name(self) -> str:
        """The name of the catalog that is there from the start."""
        return self._catalog

    def get_built_in_database_name(self) -> str:
        """The name of the database that is there from the start."""
        return self._database

    def is_streaming_mode(self) -> bool:
        """Whether queries give every change, not final rows only.

        Raises:
            ValidationError: the setting ``execution.runtime-mode`` is neither STREAMING nor BATCH.
        """
        return is_streaming(self._configuration)

    def get_configuration(self) -> Configuration:
        """The settings."""
        return self._configuration

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """A builder."""
        return EnvironmentSettings.Builder()

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Settings of streaming mode, all others by default."""
        return EnvironmentSettings.Builder().in_streaming_mode().build()

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Settings of batch mode, all others by default."""
        return EnvironmentSettings.Builder().in_batch_mode().build()


def is_streaming(configuration: Configuration) -> bool:
    """Whether a configuration asks for streaming mode, which is the default.

    Raises:
        ValidationError: it asks for AUTOMATIC, or for a mode that is not known.
    """
    mode = configuration.get_string(RUNTIME_MODE, "STREAMING").upper()
    if mode not in ("STREAMING", "BATCH"):
        raise ValidationError(
            f"{RUNTIME_MODE} must be STREAMING or BATCH for tables, got {cut(mode)}; use "
            "EnvironmentSettings.in_streaming_mode() or in_batch_mode()"
        )
    return mode == "STREAMING"


def _name(call: str, name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValidationError(f"{call} needs a name, got {cut(name)}")
    return name
