"""Packets: what a flow file is outside NiFi."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import WrongType, cut
from datastream.io import WriterContext


class NiFiDataPacket(ABC):
    """The content and the attributes of a flow file."""

    @abstractmethod
    def get_content(self) -> bytes:
        """The content."""

    @abstractmethod
    def get_attributes(self) -> dict[str, str]:
        """The attributes."""


@dataclass(frozen=True)
class StandardNiFiDataPacket(NiFiDataPacket):
    """A packet.

    Attributes:
        content: The content.
        attributes: The attributes, texts by their names.

    Raises:
        WrongType: The content is not bytes, or an attribute is no text.
    """

    content: bytes
    attributes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.content, (bytes, bytearray, memoryview)):
            raise WrongType(f"StandardNiFiDataPacket: the content must be bytes, got {cut(self.content)}")
        for name, value in self.attributes.items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise WrongType(
                    f"StandardNiFiDataPacket: attributes are texts by their names, got {cut(name)}: {cut(value)}"
                )

    def get_content(self) -> bytes:
        return bytes(self.content)

    def get_attributes(self) -> dict[str, str]:
        return dict(self.attributes)


class NiFiDataPacketBuilder(ABC):
    """Makes packets of records, for a `NiFiSink`."""

    @abstractmethod
    def create_nifi_data_packet(self, record: Any, ctx: WriterContext) -> NiFiDataPacket:
        """The packet for a record.

        Args:
            record: The record.
            ctx: The subtask that writes it.
        """
