"""Flink's settings of a connection, as pika's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datastream.connectors.server_settings import check_package
from datastream.errors import ValidationError

from .connection_config import RMQConnectionConfig

if TYPE_CHECKING:
    from pika.connection import Parameters

CONNECT_S = 15.0
"""How long connecting may take, unless something is set."""


def check_pika() -> None:
    """See that pika is there.

    Raises:
        ValidationError: It is not.
    """
    check_package("RabbitMQ", "pika", "pika>=1.3")


def parameters_of(config: RMQConnectionConfig) -> Parameters:
    """pika's parameters.

    Raises:
        ValidationError: A file of TLS cannot be read.
    """
    from pika import ConnectionParameters, PlainCredentials, SSLOptions, URLParameters

    limit_s = connect_limit_s(config)
    if config.uri is not None:
        try:
            found: Any = URLParameters(config.uri)
        except Exception as error:  # of any kind, and its text may hold the password
            raise ValidationError(f"the URI of {config.address} cannot be read ({type(error).__name__})") from None
    else:
        found = ConnectionParameters(
            host=config.host,
            port=config.port,
            virtual_host=config.virtual_host,
            credentials=PlainCredentials(config.user_name or "", config.password or "", erase_on_connect=False),
        )
    found.connection_attempts = 1
    found.socket_timeout = found.stack_timeout = limit_s
    if config.requested_channel_max is not None:
        found.channel_max = config.requested_channel_max or 65_535
    if config.requested_frame_max is not None:
        found.frame_max = min(max(config.requested_frame_max or 131_072, 4096), 131_072)
    if config.requested_heartbeat is not None:
        found.heartbeat = config.requested_heartbeat
    if config.tls is not None:
        server = config.tls.server_hostname or config.address.rpartition(":")[0]
        found.ssl_options = SSLOptions(config.tls.context(config.address), server)
    return found


def connect_limit_s(config: RMQConnectionConfig) -> float | None:
    """How long connecting may take; None: for ever."""
    if config.connection_timeout is None:
        return CONNECT_S
    return config.connection_timeout / 1000 or None
