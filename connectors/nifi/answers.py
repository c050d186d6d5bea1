"""What a NiFi answers, in JSON: its nodes, its ports, the end of a transaction."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from datastream.errors import ValidationError


class Node(msgspec.Struct):
    """A node of a cluster, which takes transactions."""

    hostname: str
    port: int
    secure: bool


class Nodes(msgspec.Struct):
    """The nodes; a NiFi that is alone is one."""

    peers: list[Node] | None = None


class Port(msgspec.Struct):
    """A port that allows remote access."""

    id: str
    name: str


class Ports(msgspec.Struct, rename="camel"):
    """The ports that this client may see."""

    input_ports: list[Port] | None = None
    output_ports: list[Port] | None = None


class Controller(msgspec.Struct):
    """The NiFi, as it describes itself."""

    controller: Ports


class Ended(msgspec.Struct, rename="camel"):
    """How a transaction ended."""

    response_code: int | None = None


class Refused(msgspec.Struct, rename="camel"):
    """Why something was refused."""

    message: str | None = None
    response_code: int | None = None


AnswerT = TypeVar("AnswerT")


def decoded(content: bytes, kind: type[AnswerT], where: str) -> AnswerT:
    """An answer of a kind.

    Args:
        content: The answer.
        kind: One of the classes above.
        where: The URL that was asked.

    Raises:
        ValidationError: It is another one.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValidationError(f"{where} does not answer as a NiFi does ({error}): check the URL") from error
