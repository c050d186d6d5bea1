"""The `pyflink` modules and the finder that makes them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    # At run time any object will do, and importing importlib.abc takes 18 ms of each worker's start.
    Loader = object


#: The release of PyFlink whose names these are.
VERSION = "2.3.0"


class AliasModule(ModuleType):
    """Answers to PyFlink's names with ours, found at the first use."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return _exported(self.__name__)
        # Python and its tools probe modules for such names; none is PyFlink's.
        if name.startswith("_"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = _submodule(self.__name__, name) or _resolve(self.__name__, name)
        if value is None:
            raise AttributeError(missing(self.__name__, name))
        self.__dict__[name] = value
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel by name, as other modules do: cloudpickle knows only the class of ordinary ones."""
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        known = {name for owner in _owned_by(self.__name__) for name in _names()[owner]}
        return sorted({name for name in known if _resolve(self.__name__, name) is not None} | set(self.__dict__))


class AliasFinder(Loader):
    """Finds the modules of PyFlink among the aliases, and loads them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != "pyflink":
            return None
        if not _is_alias(fullname):
            # `from pyflink.x import Name` comes here when pyflink.x has no Name. Anything but a
            # ModuleNotFoundError leaves the import with this text instead of Python's own.
            parent, _, name = fullname.rpartition(".")
            raise ImportError(missing(parent, name), name=fullname)
        # Every alias is a package, so that the import of a missing name does come here.
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = AliasModule(spec.name, "An alias of datastream under PyFlink's name.")
        if spec.name in ("pyflink", "pyflink.version"):
            module.__dict__["__version__"] = VERSION
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: an alias is filled as it is used."""


#: What PyFlink has and datastream has not.
_LATER = (
    "pyflink.common.utils",
    "pyflink.datastream.python",
    "pyflink.fn_execution",
    "pyflink.java_gateway",
    "pyflink.ml",
    "pyflink.pyflink_gateway_server",
    "pyflink.serializers",
    "pyflink.shell",
    "pyflink.table.functions",
    "pyflink.table.serializers",
    "pyflink.table.utils",
    "pyflink.testing",
    "pyflink.util.api_stability_decorators",
    "pyflink.util.java_utils",
)

#: Type variables that PyFlink's modules hold, and that programs import for hints.
_TYPE_VARIABLES = {
    "pyflink.common.config_options": ("T",),
    "pyflink.datastream.async_retry_strategies": ("OUT",),
    "pyflink.datastream.functions": ("IN", "IN1", "IN2", "KEY", "OUT", "W", "W2"),
    "pyflink.datastream.state": ("IN", "K", "OUT", "T", "V"),
    "pyflink.datastream.window": ("IN", "KEY", "OUT", "T", "W", "W2"),
    "pyflink.table.udf": ("ACC", "T"),
}

_finder = AliasFinder()


def install() -> bool:
    """Make `import pyflink` give aliases of `datastream`, unless the real PyFlink can be imported.

    Returns:
        Whether the aliases are in place.
    """
    if installed():
        return True
    if "pyflink" in sys.modules:
        return False
    # A folder without __init__.py, such as a script's own, has no origin and is not PyFlink.
    real = find_spec("pyflink")
    if real is not None and real.origin is not None:
        return False
    sys.meta_path.insert(0, _finder)
    return True


def installed() -> bool:
    """Whether the aliases are in place."""
    return _finder in sys.meta_path


def uninstall() -> None:
    """Take the aliases away again, with all alias modules that were imported."""
    if installed():
        sys.meta_path.remove(_finder)
    for name in [name for name, module in sys.modules.items() if isinstance(module, AliasModule)]:
        del sys.modules[name]


def missing(module: str, name: str) -> str:
    """Return the message for a name that a module of PyFlink's does not have here, or has nowhere."""
    full = f"{module}.{name}"
    if full.startswith(_LATER):
        return f"{full} is not part of datastream. See docs/differences.md for what to use instead."
    names = _names()
    owners = _owned_by(module)
    if name in {known for owner in (*owners, module) for known in names.get(owner, ())}:
        return (
            f"PyFlink's {name} is not in datastream yet (asked for as {full}). "
            "See docs/differences.md for what to use instead."
        )
    from datastream.compat.not_here import NOT_HERE

    instead = next((NOT_HERE[each][name] for each in (*owners, module) if name in NOT_HERE.get(each, ())), None)
    if instead is not None:
        return f"PyFlink's {name} is not in datastream (asked for as {full}): {instead}"
    if name.startswith("Rich") and name[4:] in names["pyflink.datastream.functions"]:
        return f"{module} has no name {name!r}, in PyFlink as here: {name[4:]} has open() and close()"
    from difflib import get_close_matches

    shown = dict.fromkeys([*(known for owner in owners for known in names[owner]), *_modules_in(module)])
    similar = get_close_matches(name, shown, n=1)
    return f"{module} has no name {name!r}" + (f"; did you mean {similar[0]!r}?" if similar else "")


def _modules_in(package: str) -> set[str]:
    from datastream.compat.names import PACKAGES

    inside = [full[len(package) + 1 :] for full in (*PACKAGES, *_names()) if full.startswith(package + ".")]
    return {rest.partition(".")[0] for rest in inside}


def _names() -> dict[str, tuple[str, ...]]:
    # Imported at first use: workers install the aliases and mostly never need them.
    from datastream.compat.names import NAMES

    return NAMES


def _exported(module: str) -> list[str]:
    """What `from module import *` returns."""
    from datastream.compat.homes import OLD_MODULES
    from datastream.compat.names import ALSO_EXPORTED, NOT_EXPORTED, PACKAGES

    own = (*PACKAGES.get(module, ()), *_names().get(module, ()), *OLD_MODULES.get(module, ()))
    names = {*own, *ALSO_EXPORTED.get(module, ())}
    names.difference_update(NOT_EXPORTED.get(module, ()))
    return sorted(name for name in names if _resolve(module, name) is not None)


def _is_alias(module: str) -> bool:
    from datastream.compat.homes import OLD_MODULES
    from datastream.compat.names import PACKAGES

    return module in PACKAGES or module in _names() or module in OLD_MODULES


def _submodule(package: str, name: str) -> ModuleType | None:
    full = f"{package}.{name}"
    return import_module(full) if _is_alias(full) else None


def _owned_by(module: str) -> list[str]:
    """Return the modules whose names a module answers to: itself, or all inside a package."""
    names = _names()
    return [module] if module in names else [owner for owner in names if owner.startswith(module + ".")]


def _resolve(module: str, name: str) -> Any:
    names = _names()
    owners = [owner for owner in _owned_by(module) if owner == module or name in names[owner]]
    # PyFlink answers to some names from elsewhere too: pyflink.common to the JSON schemas.
    owners += [owner for owner in names if name in names[owner] and owner not in owners]
    from datastream.compat.homes import homes_of

    homes = dict.fromkeys(home for owner in owners or [module] for home in homes_of(owner))
    for home in homes:
        found = getattr(_import_if_there(home), name, None)
        if found is not None and not isinstance(found, ModuleType):
            return found
    return TypeVar(name) if name in _TYPE_VARIABLES.get(module, ()) else None


def _import_if_there(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        # Only the home itself may be absent; a module it needs may not.
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            return None
        raise
