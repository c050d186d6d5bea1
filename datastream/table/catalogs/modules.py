"""`Module`: a set of functions; here there is one, ``core``."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import UnsupportedOperation, ValidationError

CORE = "core"


class Module:
    """A set of functions by name."""

    def __init__(self, name: str = CORE) -> None:
        if name != CORE:
            raise UnsupportedOperation(
                f"Module {name!r}: modules of others are not available; register functions with "
                "create_temporary_system_function"
            )
        self.name = name


class HiveModule(Module):
    """The functions of Hive."""

    def __init__(self, hive_version: str | None = None) -> None:
        raise UnsupportedOperation("HiveModule: the functions of Hive are not available; use those of Flink")


@dataclass(frozen=True, order=True)
class ModuleEntry:
    """A module that is loaded.

    Attributes:
        module: Its name.
        in_use: Whether its functions can be called.
    """

    module: str
    in_use: bool

    def name(self) -> str:
        """Its name."""
        return self.module

    def used(self) -> bool:
        """Whether its functions can be called."""
        return self.in_use

    def __repr__(self) -> str:
        return f"ModuleEntry{{name='{self.module}', used={str(self.in_use).lower()}}}"


class ModuleManager:
    """The modules of an environment, in the order in which functions are looked up."""

    def __init__(self) -> None:
        self._loaded, self._used = [CORE], [CORE]

    def load(self, name: str) -> None:
        """Load a module.

        Raises:
            ValidationError: it is loaded already.
            UnsupportedOperation: it is none of ours.
        """
        if name in self._loaded:
            raise ValidationError(f"A module with name '{name}' already exists")
        self._loaded.append(Module(name).name)
        self._used.append(name)

    def unload(self, name: str) -> None:
        """Unload a module; its functions cannot be called any more."""
        if name not in self._loaded:
            raise ValidationError(f"No module with name '{name}' exists")
        self._loaded.remove(name)
        self._used = [each for each in self._used if each != name]

    def use(self, names: tuple[str, ...]) -> None:
        """Use these modules in this order."""
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ValidationError(f"Module '{name}' appears more than once")
            if name not in self._loaded:
                raise ValidationError(f"No module with name '{name}' exists")
        self._used = list(names)

    def used(self) -> list[str]:
        """The modules in use."""
        return list(self._used)

    def entries(self) -> list[ModuleEntry]:
        """All modules, those in use first."""
        unused = [name for name in self._loaded if name not in self._used]
        return [ModuleEntry(name, True) for name in self._used] + [ModuleEntry(name, False) for name in unused]
