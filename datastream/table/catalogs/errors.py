"""What goes wrong with the objects of a catalog, by PyFlink's names (`pyflink.util.exceptions`)."""

from __future__ import annotations

from datastream.errors import ValidationError


class JavaException(ValidationError):
    """What PyFlink gives of its Java side.

    Args:
        stack_trace: What is wrong.
    """

    def __init__(self, stack_trace: str) -> None:
        super().__init__(stack_trace)
        self.stack_trace = stack_trace


class TableException(JavaException):
    """Something is wrong with a table."""


class CatalogException(JavaException):
    """Something is wrong with a catalog."""


class DamagedException(CatalogException):
    """The file of an object is damaged, or of a later version."""


class LaterVersionException(DamagedException):
    """The file of an object was written by a later version, which can read it."""


class DatabaseAlreadyExistException(JavaException):
    """A database is there already."""


class DatabaseNotEmptyException(JavaException):
    """A database has something in it, so that it is not dropped."""


class DatabaseNotExistException(JavaException):
    """There is no such database."""


class FunctionAlreadyExistException(JavaException):
    """A function is there already."""


class FunctionNotExistException(JavaException):
    """There is no such function."""


class ModelAlreadyExistException(JavaException):
    """A model is there already."""


class ModelNotExistException(JavaException):
    """There is no such model."""


class PartitionAlreadyExistsException(JavaException):
    """A partition is there already."""


class PartitionNotExistException(JavaException):
    """There is no such partition."""


class PartitionSpecInvalidException(JavaException):
    """A partition is not named by the table's partition keys."""


class TableAlreadyExistException(JavaException):
    """A table or view is there already."""


class TableNotExistException(JavaException):
    """There is no such table or view."""


class TableNotPartitionedException(JavaException):
    """A table has no partitions."""
