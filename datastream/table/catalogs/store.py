"""Where the declarations of catalogs are kept: ``table.catalog-store.kind`` and ``table.catalog-store.file.path``.

A file of a catalog is YAML in Flink's form, ``<name>.yaml`` with a line for each option, so each reads what the other
has written. Only the catalog's declaration is kept, not its tables.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, MutableMapping

from datastream.config import Configuration
from datastream.errors import ValidationError
from datastream.table.catalogs.catalog import Catalog
from datastream.table.catalogs.creating import create_catalog
from datastream.table.catalogs.errors import CatalogException

KIND, PATH = "table.catalog-store.kind", "table.catalog-store.file.path"
_SUFFIX = ".yaml"
_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")


class FileCatalogStore:
    """A folder with a file for each catalog, which its owner alone can read: options may hold passwords.

    Any number of environments may use it at once: a file appears, changes and vanishes as a whole.

    Args:
        folder: Made when it is not there.

    Raises:
        CatalogException: it is no folder, or cannot be made.
    """

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder.removeprefix("file://"))
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise CatalogException(f"option '{PATH}': {self._folder} cannot be a folder: {error.strerror}") from None

    def names(self) -> list[str]:
        """The names of all catalogs."""
        try:
            files = os.listdir(self._folder)
        except OSError as error:
            raise CatalogException(f"the catalog store {self._folder} cannot be read: {error.strerror}") from None
        return sorted(
            name.removesuffix(_SUFFIX) for name in files if name.endswith(_SUFFIX) and not name.startswith(".")
        )

    def options(self, name: str) -> dict[str, str] | None:
        """The options of a catalog; None: there is none of the name.

        Raises:
            CatalogException: its file is damaged, or cannot be read.
        """
        if not _fits(name):
            return None
        path = self._path(name)
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise CatalogException(f"the catalog {name} cannot be read from {path}: {error}") from None
        return _parsed(text, name, path)

    def add(self, name: str, options: Mapping[str, str]) -> None:
        """Keep a new catalog.

        Raises:
            CatalogException: there is one of the name, or no file can have the name.
        """
        with self._written(name, options) as written:
            try:
                os.link(written, self._path(name))
            except FileExistsError:
                raise CatalogException(f"Catalog {name} already exists.") from None

    def replace(self, name: str, options: Mapping[str, str]) -> None:
        """Change the options of a catalog that is kept; of others nothing happens."""
        if _fits(name) and os.path.exists(self._path(name)):
            with self._written(name, options) as written:
                os.replace(written, self._path(name))

    def remove(self, name: str) -> None:
        """Forget a catalog, if it is kept."""
        if _fits(name):
            with contextlib.suppress(FileNotFoundError):
                os.remove(self._path(name))

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name + _SUFFIX)

    @contextlib.contextmanager
    def _written(self, name: str, options: Mapping[str, str]) -> Iterator[str]:
        """A file of a hidden name beside the others, with the options; it is removed, if it is still there."""
        if not _fits(name):
            raise CatalogException(
                f"the catalog {name!r} cannot be kept in {self._folder}: its name is that of a file, so it must not "
                "begin with a dot or hold a slash"
            )
        handle, path = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=self._folder)  # readable by its owner
        try:
            with open(handle, "w", encoding="utf-8") as file:
                # A text of JSON is one of YAML.
                file.writelines(f"{_key(key)}: {json.dumps(options[key])}\n" for key in sorted(options))
                file.flush()
                os.fsync(file.fileno())
            yield path
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


class StoredCatalogs(MutableMapping[str, Catalog]):
    """Catalogs by name: those of an environment, and those of a store, which are made when they are first asked for.

    Args:
        store: Where more of them are kept; None: nowhere.
    """

    def __init__(self, store: FileCatalogStore | None = None) -> None:
        self._store = store
        self._made: dict[str, Catalog] = {}

    def __getitem__(self, name: str) -> Catalog:
        if name not in self._made:
            options = None if self._store is None else self._store.options(name)
            if options is None:
                raise KeyError(name)
            self._made[name] = create_catalog(name, options)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._made or (self._store is not None and name in self._store.names())

    def __setitem__(self, name: str, catalog: Catalog) -> None:
        self._made[name] = catalog

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        if self._store is not None:
            self._store.remove(name)
        self._made.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._made, *(() if self._store is None else self._store.names())}))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def declare(self, name: str, options: Mapping[str, str], comment: str | None) -> None:
        """Make a catalog of its options, and keep them in the store.

        Raises:
            ValidationError: the name is taken, or an option is wrong.
        """
        if name in self:
            raise CatalogException(f"Catalog {name} already exists.")
        made = create_catalog(name, options, comment)
        if self._store is not None:
            self._store.add(name, options)
        self._made[name] = made

    def note_options(self, name: str, options: Mapping[str, str]) -> None:
        """The options of a catalog have changed: so they do in the store, if it is kept there."""
        if self._store is not None:
            self._store.replace(name, options)


def catalog_store(config: Configuration) -> FileCatalogStore | None:
    """The store that an environment's settings name; None: catalogs live as long as the environment.

    Raises:
        ValidationError: there is no such kind of store, or its path is missing.
    """
    kind = config.get_string(KIND, "generic_in_memory")
    if kind == "generic_in_memory":
        return None
    if kind != "file":
        raise ValidationError(f"option '{KIND}': expected generic_in_memory or file, got {kind!r}")
    path = config.get_string(PATH, "")
    if not path:
        raise ValidationError(f"'{KIND}' = 'file' needs the option '{PATH}': a folder")
    if "://" in path and not path.startswith("file://"):
        raise ValidationError(f"option '{PATH}': expected a folder of this machine or a mount, got {path!r}")
    return FileCatalogStore(path)


def _fits(name: str) -> bool:
    return bool(name) and "/" not in name and "\0" not in name and not name.startswith(".")


def _key(key: str) -> str:
    """The name of an option, in quotes where YAML needs them."""
    plain = key.isascii() and key[:1].isalpha() and all(c.isalnum() or c in "-_." for c in key)
    return key if plain and key.lower() not in _WORDS else json.dumps(key)


def _parsed(text: str, name: str, path: str) -> dict[str, str]:
    try:
        import yaml
    except ImportError:
        raise ValidationError(f"the catalog {name} is kept in {path}: pip install 'spark-datastream[sql]'") from None
    try:
        found = yaml.load(text, Loader=yaml.BaseLoader)  # texts, lists and dicts only
    except yaml.YAMLError as error:
        raise CatalogException(f"the catalog {name}: {path} is damaged: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict) or not all(isinstance(each, str) for pair in found.items() for each in pair):
        raise CatalogException(f"the catalog {name}: {path} is damaged: expected lines such as type: 'jdbc'")
    return found
