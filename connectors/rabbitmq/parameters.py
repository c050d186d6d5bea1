"""Flink's settings of a connection, as pika's."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError

from .connection_config import RMQConnectionConfig, RMQTls

if TYPE_CHECKING:
    from pika.connection import Parameters, SSLOptions

CONNECT_S = 15.0
"""How long connecting may take, unless something is set."""


def check_pika() -> None:
    """See that pika is there.

    Raises:
        ValidationError: It is not.
    """
    try:
        import pika  # noqa: F401
    except ImportError as error:
        raise ValidationError(f"RabbitMQ needs the package pika: pip install 'pika>=1.3' ({error})") from error


def parameters_of(config: RMQConnectionConfig) -> Parameters:
    """pika's parameters.

    Raises:
        ValidationError: A file of TLS cannot be read.
    """
    from pika import ConnectionParameters, PlainCredentials, URLParameters

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
        found.ssl_options = _ssl_options(config.tls, config)
    return found


def connect_limit_s(config: RMQConnectionConfig) -> float | None:
    """How long connecting may take; None: for ever."""
    if config.connection_timeout is None:
        return CONNECT_S
    return config.connection_timeout / 1000 or None


def _ssl_options(tls: RMQTls, config: RMQConnectionConfig) -> SSLOptions:
    from pika import SSLOptions

    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
        if tls.certificate_file is not None:
            context.load_cert_chain(tls.certificate_file, tls.key_file)
    except (OSError, ssl.SSLError) as error:
        raise ValidationError(f"RMQTls for {config.address}: its files cannot be used: {error}") from error
    return SSLOptions(context, tls.server_hostname or config.address.rpartition(":")[0])
