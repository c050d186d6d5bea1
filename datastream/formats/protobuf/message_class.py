"""A class of messages, in a form that travels: its description rather than the class.

A worker takes the class from the module that defines it where that can be imported, and else makes it of the
description. Messages of a class that a schema knows travel the same way between stages.
"""

from __future__ import annotations

import copyreg
import importlib
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.stored_types import reader

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FileDescriptor

#: (description, full name) -> what this process has made of it.
_known: dict[tuple[bytes, str], MessageClass] = {}
#: Description -> the pool of classes made of it.
_pools: dict[bytes, Any] = {}


class MessageClass:
    """A class of messages.

    Attributes:
        name: The message's full name.
    """

    def __init__(self, description: bytes, name: str, module: str | None, qualname: str) -> None:
        self.name = name
        self._description = description
        self._module = module
        self._qualname = qualname

    @staticmethod
    def of(message_class: Any, where: str) -> MessageClass:
        """What travels of a class.

        Raises:
            ValidationError: it is no class of protobuf messages.
        """
        from google.protobuf.message import Message

        if not isinstance(message_class, type) or not issubclass(message_class, Message):
            raise ValidationError(
                f"{where} needs a class of protobuf messages, such as orders_pb2.Order, got {cut(message_class)}"
            )
        descriptor: Any = message_class.DESCRIPTOR  # type: ignore[attr-defined]
        description = _description(descriptor.file)
        found: MessageClass = _found(
            description, descriptor.full_name, message_class.__module__, message_class.__qualname__
        )
        found.__dict__["cls"] = message_class
        found._register()
        return found

    @cached_property
    def cls(self) -> Any:
        """The class."""
        found = self._loaded() or self._imported() or self._made()
        self.__dict__["cls"] = found
        self._register()
        return found

    @property
    def descriptor(self) -> Descriptor:
        """The class's description."""
        found: Descriptor = self.cls.DESCRIPTOR
        return found

    def _loaded(self) -> Any:
        """The class in protobuf's own pool, where a module that is imported has put it."""
        from google.protobuf import descriptor_pool, message_factory

        try:
            descriptor = descriptor_pool.Default().FindMessageTypeByName(self.name)
        except KeyError:
            return None
        return message_factory.GetMessageClass(descriptor) if self._fits(descriptor) else None

    def _imported(self) -> Any:
        if self._module is None or self._module in ("__main__", *sys.builtin_module_names):
            return None
        try:
            found: Any = importlib.import_module(self._module)
            for name in self._qualname.split("."):
                found = getattr(found, name)
        except Exception:  # a module that is not here, or another of its name, which may raise anything
            return None
        descriptor = getattr(found, "DESCRIPTOR", None)
        return found if descriptor is not None and self._fits(descriptor) else None

    def _fits(self, descriptor: Descriptor) -> bool:
        return descriptor.full_name == self.name and _description(descriptor.file) == self._description

    def _made(self) -> Any:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        if self._description not in _pools:
            pool = _pools[self._description] = descriptor_pool.DescriptorPool()
            for file in descriptor_pb2.FileDescriptorSet.FromString(self._description).file:
                pool.AddSerializedFile(file.SerializeToString())
        return message_factory.GetMessageClass(_pools[self._description].FindMessageTypeByName(self.name))

    def _register(self) -> None:
        copyreg.pickle(self.cls, self._reduced)

    def _reduced(self, message: Any) -> tuple[Any, ...]:
        return _message, (self, message.SerializePartialToString())

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self._description, self.name, self._module, self._qualname)


@reader("protobuf_class")
def _found(description: bytes, name: str, module: str | None, qualname: str) -> MessageClass:
    key = (description, name)
    if key not in _known:
        _known[key] = MessageClass(description, name, module, qualname)
    return _known[key]


@reader("protobuf_message")
def _message(message_class: MessageClass, data: bytes) -> Any:
    return message_class.cls.FromString(data)


def _description(file: FileDescriptor) -> bytes:
    """The file that defines a message, after all that it imports."""
    from google.protobuf import descriptor_pb2

    found = descriptor_pb2.FileDescriptorSet()
    seen: set[str] = set()

    def add(one: FileDescriptor) -> None:
        if one.name not in seen:
            seen.add(one.name)
            for other in one.dependencies:
                add(other)
            found.file.append(descriptor_pb2.FileDescriptorProto.FromString(one.serialized_pb))

    add(file)
    data: bytes = found.SerializeToString(deterministic=True)
    return data
