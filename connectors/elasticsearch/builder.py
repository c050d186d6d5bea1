"""Builders of `ElasticsearchSink`, by Flink's names."""

from __future__ import annotations

import sys
from abc import ABC
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

from datastream.connectors.delivery_guarantee import DeliveryGuarantee
from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.io import Backoff

from .connection import ElasticsearchConnection, connection_of
from .emitter import ElasticsearchEmitter, Emitted
from .failures import FailureHandler, fail
from .flush_backoff import FlushBackoffType
from .sink import ElasticsearchSink

_MB = 1 << 20


class ElasticsearchSinkBuilderBase(ABC):
    """What all builders of a sink have. Hosts and an emitter are needed; all else has a default."""

    _backoff: ClassVar[Backoff]

    def __init__(self) -> None:
        self._connection: ElasticsearchConnection | None = None
        self._changes: dict[str, Any] = {}
        self._emitter: ElasticsearchEmitter | None = None
        self._guarantee = DeliveryGuarantee.AT_LEAST_ONCE
        self._actions, self._bytes = 1000, sys.maxsize
        self._interval_ms: int | None = None
        self._pauses = self._backoff
        self._handler: FailureHandler = fail

    def get_http_host_class(self) -> Any:
        """Not here: there is no Java."""
        raise UnsupportedOperation("get_http_host_class: there is no class of Java here; name hosts as texts")

    def set_emitter(self, emitter: ElasticsearchEmitter | Callable[[Any], Emitted]) -> Self:
        """Set what makes actions of records: an emitter, or a function of a record as `ElasticsearchEmitter.of` has it.

        Raises:
            ValidationError: It is none of these.
        """
        self._emitter = emitter if isinstance(emitter, ElasticsearchEmitter) else ElasticsearchEmitter.of(emitter)
        return self

    def set_hosts(self, hosts: str | list[str]) -> Self:
        """Set the nodes: ``host:port``, or ``https://host:port``.

        Raises:
            ValidationError: One is no address.
        """
        self._connection = connection_of(hosts, "set_hosts")
        return self

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> Self:
        """Set the guarantee; default ``AT_LEAST_ONCE``. ``NONE`` is the same here.

        Raises:
            ValidationError: It is no `DeliveryGuarantee`.
        """
        if not isinstance(delivery_guarantee, DeliveryGuarantee):
            raise ValidationError(f"set_delivery_guarantee needs a DeliveryGuarantee, got {cut(delivery_guarantee)}")
        self._guarantee = delivery_guarantee
        return self

    def set_bulk_flush_max_actions(self, num_max_actions: int) -> Self:
        """Set the actions of a bulk request at most; default 1000; -1: no limit."""
        limit = _limit("set_bulk_flush_max_actions", num_max_actions)
        self._actions = sys.maxsize if limit is None else limit
        return self

    def set_bulk_flush_max_size_mb(self, max_size_mb: int) -> Self:
        """Set the size of a bulk request at most, in MB; default -1: no limit. Too large a one is sent in halves."""
        limit = _limit("set_bulk_flush_max_size_mb", max_size_mb)
        self._bytes = sys.maxsize if limit is None else limit * _MB
        return self

    def set_bulk_flush_interval(self, interval_millis: int) -> Self:
        """Set how old a bulk request may become before it is sent with the next records, in ms; default -1: any age.

        It is sent at the end of the epoch in any case.
        """
        self._interval_ms = _limit("set_bulk_flush_interval", interval_millis)
        return self

    def set_bulk_flush_backoff_strategy(
        self, flush_backoff_type: FlushBackoffType, max_retries: int, delay_millis: int
    ) -> Self:
        """Set how a bulk request is tried again for which Elasticsearch has no room, or while it is away.

        Args:
            flush_backoff_type: Whether pauses grow. Default: ``NONE``: the job fails, and restarts as it is set to.
            max_retries: How often it is tried again.
            delay_millis: The first pause, in ms.

        Raises:
            ValidationError: It is no `FlushBackoffType`, or a number is below 0.
        """
        if not isinstance(flush_backoff_type, FlushBackoffType):
            raise ValidationError(
                f"set_bulk_flush_backoff_strategy needs a FlushBackoffType, got {cut(flush_backoff_type)}"
            )
        self._pauses = flush_backoff_type.backoff(max_retries, delay_millis)
        return self

    def set_connection_username(self, username: str) -> Self:
        """Set the user."""
        return self._change(user_name=username)

    def set_connection_password(self, password: str) -> Self:
        """Set the user's password."""
        return self._change(password=password)

    def set_connection_path_prefix(self, prefix: str) -> Self:
        """Set what the path of each request begins with."""
        return self._change(path_prefix=prefix)

    def set_connection_request_timeout(self, timeout: int) -> Self:
        """Set how long to wait for a connection of the pool; no effect: a subtask has one of its own."""
        _limit("set_connection_request_timeout", timeout)
        return self

    set_connection_request_timeout.without_effect = True  # type: ignore[attr-defined]

    def set_connection_timeout(self, timeout: int) -> Self:
        """Set how long connecting may take; no effect: it is part of the time of a request, `set_socket_timeout`."""
        _limit("set_connection_timeout", timeout)
        return self

    set_connection_timeout.without_effect = True  # type: ignore[attr-defined]

    def set_socket_timeout(self, timeout: int) -> Self:
        """Set how long an answer may take, in ms; default 30,000."""
        limit = _limit("set_socket_timeout", timeout)
        return self._change(request_timeout_ms=limit) if limit is not None else self

    def set_failure_handler(self, failure_handler: FailureHandler) -> Self:
        """Set what becomes of actions that Elasticsearch refuses; default `fail`. See `ignore` and `dead_letter`.

        Raises:
            ValidationError: It cannot be called.
        """
        if not callable(failure_handler):
            raise ValidationError(f"set_failure_handler needs a function of a FailedAction, got {cut(failure_handler)}")
        self._handler = failure_handler
        return self

    def allow_insecure(self) -> Self:
        """Trust any certificate, as in Java."""
        return self._change(allow_insecure=True)

    def build(self) -> ElasticsearchSink:
        """The sink.

        Raises:
            ValidationError: There are no hosts or no emitter, or the settings of the connection do not fit.
        """
        name = type(self).__name__
        if self._connection is None:
            raise ValidationError(f"{name}: no cluster is named: call set_hosts(['localhost:9200'])")
        if self._emitter is None:
            raise ValidationError(
                f"{name}: nothing says what records become: call set_emitter(ElasticsearchEmitter.static_index('name'))"
            )
        return ElasticsearchSink(
            replace(self._connection, **self._changes),
            self._emitter,
            self._guarantee,
            self._actions,
            self._bytes,
            self._interval_ms,
            self._pauses,
            self._handler,
        )

    def _change(self, **changes: Any) -> Self:
        self._changes |= changes
        return self


class Elasticsearch7SinkBuilder(ElasticsearchSinkBuilderBase):
    """Builds an `ElasticsearchSink` as PyFlink's does, for servers of version 8 and 9.

    >>> sink = (
    ...     Elasticsearch7SinkBuilder()
    ...     .set_hosts("localhost:9200")
    ...     .set_emitter(ElasticsearchEmitter.dynamic_index("index_col", "key_col"))
    ...     .build()
    ... )
    """

    _backoff = Backoff(0)


class Elasticsearch6SinkBuilder(ElasticsearchSinkBuilderBase):
    """The same as `Elasticsearch7SinkBuilder`, for jobs that name this one. Servers of version 6 are not supported."""

    _backoff = Backoff(0)


class ElasticsearchSinkBuilder(ElasticsearchSinkBuilderBase):
    """Builds an `ElasticsearchSink`, with retries by default, and with more ways to log in.

    What Elasticsearch has no room for is tried again 8 times, after pauses from 100 ms to 5 s.
    """

    _backoff = Backoff()

    def set_connection(self, connection: ElasticsearchConnection) -> Self:
        """Set all of how the cluster is reached, instead of `set_hosts`.

        Raises:
            ValidationError: It is no `ElasticsearchConnection`.
        """
        self._connection = connection_of(connection, "set_connection")
        return self

    def set_api_key(self, api_key: str) -> Self:
        """Set an API key, as Kibana shows it ("encoded"), instead of a user."""
        return self._change(api_key=api_key)

    def set_ca_certs(self, path: str) -> Self:
        """Set the file with the certificates of the authorities to trust."""
        return self._change(ca_certs=path)

    def set_certificate_fingerprint(self, fingerprint: str) -> Self:
        """Set the SHA-256 of the one certificate to trust."""
        return self._change(certificate_fingerprint=fingerprint)

    def set_backoff(self, backoff: Backoff) -> Self:
        """Set the pauses and the number of retries.

        Raises:
            ValidationError: It is no `Backoff`.
        """
        if not isinstance(backoff, Backoff):
            raise ValidationError(f"set_backoff needs a Backoff of datastream.io, got {cut(backoff)}")
        self._pauses = backoff
        return self


def _limit(call: str, value: int) -> int | None:
    """A limit; None for -1."""
    if isinstance(value, bool) or not isinstance(value, int) or (value < 1 and value != -1):
        raise ValidationError(f"{call} needs a whole number, at least 1, or -1 for no limit, got {cut(value)}")
    return None if value == -1 else value
