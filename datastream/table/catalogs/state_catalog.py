"""`StateCatalog`: checkpoints and savepoints as databases, what their operators keep as tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.runtime.savepoints.manifest import is_savepoint
from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.errors import TableNotExistException
from datastream.table.catalogs.names import ObjectPath
from datastream.table.catalogs.options import check_options
from datastream.table.catalogs.read_only import ReadOnlyCatalog
from datastream.table.catalogs.schema import Schema
from datastream.table.types.data_types import DataTypes

_OPTIONS = ("path", "default-database", "max-rows")

#: The columns of each table, and their types.
STATE_COLUMNS = {
    "key": DataTypes.STRING(),
    "state": DataTypes.STRING(),
    "form": DataTypes.STRING(),
    "value": DataTypes.STRING(),
    "entries": DataTypes.BIGINT(),
    "key_group": DataTypes.INT(),
    "touched": DataTypes.TIMESTAMP_LTZ(3),
}


class StateCatalog(ReadOnlyCatalog):
    """A catalog of what jobs keep. Nothing can be changed in it; it keeps functions itself.

    Its databases are the checkpoints and savepoints in a folder, by the names of their folders, looked for at each
    call; the default one is the folder itself, if it is one. Its tables are the operators with state, by their uids.

    Args:
        name: Its name.
        options: ``path``, the folder; ``default-database``, else ``default``; ``max-rows`` of the tables.
        comment: For people.

    Raises:
        ValidationError: An option is missing or unknown, or there is no such folder.
    """

    def __init__(self, name: str, options: Mapping[str, str], comment: str | None = None) -> None:
        check_options(name, options, _OPTIONS)
        if not options.get("path"):
            raise ValidationError(
                f"catalog {name}: the option 'path' is missing: a checkpoint directory, a savepoint, "
                "or a folder with some"
            )
        path = options["path"].removeprefix("file://")
        if "://" in path or not Path(path).is_dir():
            raise ValidationError(
                f"catalog {name}: option 'path': expected a folder of this machine or a mount, got {path!r}"
            )
        super().__init__(name, options.get("default-database", "default"), comment)
        self.options = dict(options)
        self._folder = Path(path).absolute()

    def list_databases(self) -> list[str]:
        return sorted({self._default, *self._found()})

    def list_tables(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        folder = self._found().get(database_name)
        return [] if folder is None else _operators(folder)

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        folder = self._found().get(table_path.database)
        if folder is None or table_path.name not in _operators(folder):
            raise TableNotExistException(f"Table (or view) {table_path} does not exist in Catalog {self.name}.")
        builder = Schema.new_builder()
        for column, kind in STATE_COLUMNS.items():
            builder.column(column, kind)
        options = {"connector": "state", "state.path": str(folder), "operator.uid": table_path.name}
        if "max-rows" in self.options:
            options["max-rows"] = self.options["max-rows"]
        return CatalogBaseTable(builder.build(), options)

    def table_exists(self, table_path: ObjectPath) -> bool:
        folder = self._found().get(table_path.database)
        return folder is not None and table_path.name in _operators(folder)

    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedOperation(
            f"catalog {self.name}: it shows the state of jobs, and nothing can be created, changed or dropped in it"
        )

    def _found(self) -> dict[str, Path]:
        """Database -> the checkpoint or savepoint."""
        found = {}
        if (own := _newest(self._folder)) is not None:
            found[self._default] = own
        for parent in (self._folder, self._folder / "jobs"):  # jobs: those of a script with several
            for folder in sorted(parent.iterdir()) if parent.is_dir() else ():
                if folder.is_dir() and folder != own and (newest := _newest(folder)) is not None:
                    found.setdefault(folder.name, newest)
        return found


def _newest(folder: Path) -> Path | None:
    """The checkpoint or savepoint that a folder is, or the newest generation in it; None: it is neither."""
    if is_savepoint(folder) or _is_checkpoint(folder):
        return folder
    numbers = [int(each.name) for each in folder.iterdir() if each.name.isdecimal() and _is_checkpoint(each)]
    return folder / str(max(numbers)) if numbers else None


def _is_checkpoint(folder: Path) -> bool:
    return (folder / "job.json").exists()


def _operators(folder: Path) -> list[str]:
    from datastream.spark.state_view import operators_with_state

    return operators_with_state(folder)
