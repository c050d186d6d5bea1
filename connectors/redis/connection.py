"""How a server is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from datastream.connectors.server_settings import TlsFiles, check_package, checked_number, split_url
from datastream.errors import ValidationError, cut

if TYPE_CHECKING:
    import redis
    import redis.asyncio

_PORTS = {"redis": 6379, "rediss": 6379}
#: Pauses between the tries of a command that only reads, in seconds.
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0


@dataclass(frozen=True)
class RedisTls(TlsFiles):
    """TLS to the server, whose certificate and name are verified."""


@dataclass(frozen=True)
class RedisConnection:
    """How a server is reached.

    Attributes:
        host: Its host.
        port: Its port.
        database: The number of the database.
        user_name: The user of the server's ACL; None: ``default``.
        password: The user's. Never shown.
        tls: None: without TLS.
        timeout_ms: How long connecting, and an answer, may take.
        retries: How often a command that only reads is tried again when the server is away.

    Raises:
        ValidationError: A value is wrong.
    """

    host: str = "localhost"
    port: int = 6379
    database: int = 0
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: RedisTls | None = None
    timeout_ms: int = 10_000
    retries: int = 5

    def __post_init__(self) -> None:
        if not isinstance(self.host, str) or not self.host:
            raise ValidationError(f"RedisConnection: host must be the name of a host, got {cut(self.host)}")
        for name, least, most in (
            ("port", 1, 65_535),
            ("database", 0, 2**31 - 1),
            ("timeout_ms", 1, 2**31 - 1),
            ("retries", 0, 1000),
        ):
            checked_number(getattr(self, name), f"RedisConnection: {name}", least, most)
        if self.user_name is not None and self.password is None:
            raise ValidationError(f"RedisConnection: the user {self.user_name!r} needs a password")

    @classmethod
    def of_url(
        cls,
        url: str,
        user_name: str | None = None,
        password: str | None = None,
        tls: RedisTls | None = None,
        timeout_ms: int = 10_000,
        retries: int = 5,
    ) -> RedisConnection:
        """The connection of a URL.

        Args:
            url: ``redis://user:password@host:port/database``, or ``rediss://`` for TLS. Only the host
                is needed.
            user_name: Instead of the URL's.
            password: Instead of the URL's.
            tls: Files for ``rediss://``.
            timeout_ms: How long connecting, and an answer, may take.
            retries: How often a command that only reads is tried again when the server is away.

        Raises:
            ValidationError: It is no such URL.
        """
        expected = "RedisConnection: the URL must look like 'redis://host:6379/0', or 'rediss://' for TLS"
        parts = split_url(url, _PORTS, expected)
        if not parts.host or parts.more:
            raise ValidationError(f"{expected}; other schemes, and settings after '?', are not taken")
        if parts.path and not parts.path.isdecimal():
            raise ValidationError(f"{expected}: the database is a number, got {cut(parts.path)}")
        if parts.scheme == "rediss":
            tls = tls or RedisTls()
        elif tls is not None:
            raise ValidationError(f"{expected}: there are files for TLS, and the URL does not begin with 'rediss://'")
        user_name = parts.user_name if user_name is None else user_name
        password = parts.password if password is None else password
        return cls(parts.host, parts.port, int(parts.path or 0), user_name, password, tls, timeout_ms, retries)

    def __str__(self) -> str:
        return f"Redis at {self.host}:{self.port}"

    def validate(self) -> None:
        """Check that the library is there.

        Raises:
            ValidationError: It is not.
        """
        check_package("Redis", "redis", "redis>=5.1")

    def reader(self) -> redis.Redis:
        """A client that tries commands again when the server is away."""
        import redis
        from redis.backoff import ExponentialBackoff
        from redis.retry import Retry

        return redis.Redis(
            **self._arguments(), retry=Retry(ExponentialBackoff(_LONGEST_PAUSE_S, _FIRST_PAUSE_S), self.retries)
        )

    def writer(self) -> redis.Redis:
        """A client that tries nothing again: whether the server has done a command is not known then."""
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        return redis.Redis(**self._arguments(), retry=Retry(NoBackoff(), 0))

    def asynchronous(self) -> redis.asyncio.Redis:
        """A client for an event loop, that tries commands again when the server is away."""
        import redis.asyncio
        from redis.asyncio.retry import Retry
        from redis.backoff import ExponentialBackoff

        return redis.asyncio.Redis(
            **self._arguments(), retry=Retry(ExponentialBackoff(_LONGEST_PAUSE_S, _FIRST_PAUSE_S), self.retries)
        )

    def _arguments(self) -> dict[str, Any]:
        timeout_s = self.timeout_ms / 1000
        found: dict[str, Any] = {
            "host": self.host,
            "port": self.port,
            "db": self.database,
            "username": self.user_name,
            "password": self.password,
            "socket_timeout": timeout_s,
            "socket_connect_timeout": timeout_s,
            "protocol": 2,
        }
        if self.tls is not None:
            found |= {
                "ssl": True,
                "ssl_check_hostname": True,  # redis-py before 6 does not by default
                "ssl_ca_certs": self.tls.ca_file,
                "ssl_certfile": self.tls.certificate_file,
                "ssl_keyfile": self.tls.key_file or self.tls.certificate_file,
            }
        return found
