"""Options of a configuration: a key, a type, a default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from datastream.errors import ValidationError, cut

T = TypeVar("T")


@dataclass(frozen=True)
class ConfigOption(Generic[T]):
    """A key of a `Configuration` with the type of its value. Made by `ConfigOptions.key`.

    Attributes:
        key: The key.
        type: The Python type of the value.
        default: The value when the key is not set; None: there is none.
    """

    key: str
    type: type
    default: T | None = None


class ConfigOptions:
    """Where options are made: ``ConfigOptions.key("tmp.dir").string_type().default_value("/tmp")``."""

    @staticmethod
    def key(key: str) -> ConfigOptions.OptionBuilder:
        """Begin an option.

        Raises:
            ValidationError: the key is no text, or empty.
        """
        if not isinstance(key, str) or not key:
            raise ValidationError(f"ConfigOptions.key: expected the key of an option, got {cut(key)}")
        return ConfigOptions.OptionBuilder(key)

    class OptionBuilder:
        """Sets the option's type."""

        def __init__(self, key: str) -> None:
            self._key = key

        def boolean_type(self) -> ConfigOptions.TypedConfigOptionBuilder[bool]:
            """The value is a bool."""
            return self._typed(bool, lambda value: isinstance(value, bool))

        def int_type(self) -> ConfigOptions.TypedConfigOptionBuilder[int]:
            """The value is an int of 32 bits."""
            return self._typed(int, lambda value: _whole(value, 31))

        def long_type(self) -> ConfigOptions.TypedConfigOptionBuilder[int]:
            """The value is an int of 64 bits."""
            return self._typed(int, lambda value: _whole(value, 63))

        def float_type(self) -> ConfigOptions.TypedConfigOptionBuilder[float]:
            """The value is a float of 32 bits."""
            return self._typed(float, lambda value: isinstance(value, float))

        def double_type(self) -> ConfigOptions.TypedConfigOptionBuilder[float]:
            """The value is a float of 64 bits."""
            return self._typed(float, lambda value: isinstance(value, float))

        def string_type(self) -> ConfigOptions.TypedConfigOptionBuilder[str]:
            """The value is a str."""
            return self._typed(str, lambda value: isinstance(value, str))

        def _typed(self, type: type, fits: Callable[[Any], bool]) -> ConfigOptions.TypedConfigOptionBuilder[Any]:
            return ConfigOptions.TypedConfigOptionBuilder(self._key, type, fits)

    class TypedConfigOptionBuilder(Generic[T]):
        """Sets the option's default."""

        def __init__(self, key: str, type: type, fits: Callable[[Any], bool]) -> None:
            self._key, self._type, self._fits = key, type, fits

        def default_value(self, value: T) -> ConfigOption[T]:
            """Return the option, with a default.

            Raises:
                ValidationError: the default is not of the option's type.
            """
            if not self._fits(value):
                raise ValidationError(f"Config '{self._key}': expected a default of {self._type}, got {cut(value)}")
            return ConfigOption(self._key, self._type, value)

        def no_default_value(self) -> ConfigOption[T]:
            """Return the option, without a default."""
            return ConfigOption(self._key, self._type)


def _whole(value: object, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << bits) <= value < 1 << bits
