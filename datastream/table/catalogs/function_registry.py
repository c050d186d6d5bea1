"""The functions of an environment: the library's, those of catalogs, temporary ones, and those called inline."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.catalogs.function import CatalogFunction
from datastream.table.catalogs.manager import CatalogManager
from datastream.table.catalogs.names import ObjectIdentifier, split_path
from datastream.table.dsl.udf import wrapped
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.user_functions import UserFunction
from datastream.table.types.data_types import DataTypes
from datastream.table.types.type_text import quoted

CURRENT_DATABASE = "CURRENT_DATABASE"


class FunctionRegistry:
    """Finds functions: temporary system ones, the library's, temporary ones, those of catalogs, in this order.

    Args:
        catalogs: Which there are.
        streaming: Whether queries are of streaming mode.

    Attributes:
        system: Temporary system functions, by lower-case name.
        temporary: Temporary functions.
    """

    def __init__(self, catalogs: CatalogManager, streaming: Callable[[], bool]) -> None:
        self._catalogs, self._streaming = catalogs, streaming
        self.system: dict[str, UserFunction] = {}
        self.temporary: dict[ObjectIdentifier, UserFunction] = {}
        self._of_catalogs: dict[ObjectIdentifier, tuple[CatalogFunction, UserFunction]] = {}
        #: By the names that plans have of them; they stay as long as the environment.
        self._planned: dict[str, UserFunction] = {}
        self.with_library = True

    @property
    def of_batch(self) -> bool:
        """Whether queries are of batch mode."""
        return not self._streaming()

    def find(self, name: str) -> Entry | AggregateEntry | UserFunction | None:
        """The function of a name, or of its name in a plan; None: there is none."""
        planned = self._planned.get(name)
        if planned is not None:
            return planned
        if name.lower() in self.system:
            return self.system[name.lower()]
        if self.with_library:
            from datastream.table.functions import library

            if name == CURRENT_DATABASE:
                return self._current_database()
            built_in = library.find(name)
            if built_in is not None:
                return built_in
        return self._in_catalogs(name)

    def is_of_users(self, name: str) -> bool:
        """Whether a name is that of a function of a user's."""
        return isinstance(self.find(name), UserFunction)

    def path_of(self, function: UserFunction) -> tuple[str, ...] | None:
        """The name under which a function is registered, which `registered` finds it by; None: it is called inline."""
        for name, known in self.system.items():
            if known is function:
                return (name,)
        of_catalogs = {name: known for name, (_, known) in self._of_catalogs.items()}
        for path, known in {**of_catalogs, **self.temporary}.items():
            if known is function:
                return tuple(path.to_list())
        return None

    def registered(self, path: tuple[str, ...]) -> UserFunction | None:
        """The function of a full name, or of a system function's; None: there is none."""
        if len(path) == 1:
            return self.system.get(path[0])
        return self._in_catalogs(".".join(map(quoted, path)))

    def names(self) -> list[str]:
        """All names that can be called."""
        return sorted({*self.library_names(), *self.user_names()})

    def library_names(self) -> list[str]:
        """The names of the library's functions."""
        if not self.with_library:
            return []
        from datastream.table.functions import library

        return sorted({entry.sql[0].lower() if entry.sql else entry.name for entry in library.entries()})

    def user_names(self) -> list[str]:
        """The names of users' functions: temporary ones, and those of the current database."""
        catalog, database = self._catalogs.current_catalog, self._catalogs.current_database
        found = {*self.system, *(each.name for each in self.temporary)}
        if catalog is not None and database is not None:
            known = self._catalogs.catalog(catalog)
            found.update(known.list_functions(database) if known.database_exists(database) else ())
        return sorted(found)

    def adopt(self, functions: Mapping[str, UserFunction]) -> None:
        """Take over functions that expressions call without a catalog."""
        self._planned.update(functions)

    def create_system(self, name: str, function: Any, ignore_if_exists: bool = False) -> None:
        """Add a temporary system function.

        Raises:
            ValidationError: it is none, or the name is taken.
        """
        key = name.lower()
        if key in self.system:
            if ignore_if_exists:
                return
            raise ValidationError(f"Could not register temporary system function '{name}': it exists already.")
        self.system[key] = self._plan(name, function)

    def drop_system(self, name: str, if_exists: bool = False) -> bool:
        """Remove a temporary system function. Returns whether there was one."""
        found = self.system.pop(name.lower(), None)
        if found is None and not if_exists:
            raise ValidationError(f"Could not drop temporary system function. A function named '{name}' doesn't exist.")
        return found is not None

    def create_temporary(self, name: ObjectIdentifier, function: Any, ignore_if_exists: bool = False) -> None:
        """Add a temporary function.

        Raises:
            ValidationError: it is none, or the name is taken.
        """
        name = _normalized(name)
        if name in self.temporary:
            if ignore_if_exists:
                return
            raise ValidationError(f"Could not register temporary function '{name}': it exists already.")
        self.temporary[name] = self._plan(name.as_summary_string(), function)

    def drop_temporary(self, name: ObjectIdentifier, if_exists: bool = False) -> bool:
        """Remove a temporary function. Returns whether there was one."""
        found = self.temporary.pop(_normalized(name), None)
        if found is None and not if_exists:
            raise ValidationError(f"Temporary catalog function {name} doesn't exist")
        return found is not None

    def _current_database(self) -> Entry:
        """The function that returns the name of the current database, which is a constant of the plan."""
        name = self._catalogs.current_database
        kind = DataTypes.STRING(False)
        return Entry(CURRENT_DATABASE, (CURRENT_DATABASE,), (0, 0), lambda args: kind, repr(name))

    def _in_catalogs(self, name: str) -> UserFunction | None:
        if "$" in name:
            return None
        try:
            full = self._catalogs.qualify(split_path(name))
        except ValidationError:
            return None
        # Names of functions have no case, and the parser gives them in capitals.
        full = ObjectIdentifier(_known(full.catalog, self._catalogs.catalogs), full.database, full.name.lower())
        catalog = self._catalogs.catalogs.get(full.catalog)
        if catalog is None:
            return None
        full = ObjectIdentifier(full.catalog, _known(full.database, catalog.list_databases()), full.name)
        if full in self.temporary:
            return self.temporary[full]
        if not catalog.database_exists(full.database) or not catalog.function_exists(full.to_object_path()):
            return None
        stored = catalog.get_function(full.to_object_path())
        known = self._of_catalogs.get(full)
        if known is None or known[0] != stored:
            function = self._plan(full.as_summary_string(), loaded(stored.class_name, stored.language))
            known = self._of_catalogs[full] = stored, function
        return known[1]

    def _plan(self, name: str, function: Any) -> UserFunction:
        """A function under a name that plans have of it: another one of the same name gets a number."""
        number, taken = 0, name
        while taken in self._planned:
            number += 1
            taken = f"{name}${number}"
        self._planned[taken] = replace(wrapped(function).function, name=taken)
        return self._planned[taken]


def _normalized(name: ObjectIdentifier) -> ObjectIdentifier:
    """A function's name in the form in which it is kept: names of functions have no case."""
    return ObjectIdentifier(name.catalog, name.database, name.name.lower())


def _known(name: str, known: Iterable[str]) -> str:
    """The known name that is the same but for its case; `name` itself where there is none."""
    names = list(known)
    return name if name in names else next((each for each in names if each.lower() == name.lower()), name)


def loaded(target: str, language: str) -> Any:
    """The function that ``module.name`` names.

    Raises:
        ValidationError: it cannot be imported, or is no function.
        UnsupportedOperation: it is one of Java.
    """
    if language != "PYTHON":
        raise UnsupportedOperation(
            f"the function {target} is one of {language.capitalize()}, which cannot be called here: write it in Python "
            "and register it with LANGUAGE PYTHON"
        )
    module, _, name = target.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValidationError(f"the function {target} cannot be imported: {error}; expected module.name") from error
    return wrapped(found() if isinstance(found, type) else found)
