"""How a database is reached, and how it is written to. Names and defaults are Flink's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from datastream.environments.secret_values import hide
from datastream.errors import ValidationError, cut


@dataclass(frozen=True)
class JdbcConnectionOptions:
    """How a database is reached.

    Attributes:
        url: Such as ``jdbc:postgresql://host:5432/shop`` or ``jdbc:sqlite:/data/shop.db``.
        driver_name: Of Java's driver; kept, and not needed.
        user_name: None: as the URL says.
        password: The same. Never shown.
    """

    url: str
    driver_name: str | None = None
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"JdbcConnectionOptions(url={hide(self.url)!r}, user_name={self.user_name!r})"

    def get_db_url(self) -> str:
        """The URL."""
        return self.url

    def get_driver_name(self) -> str | None:
        """The name that was set; None where none was."""
        return self.driver_name

    def get_user_name(self) -> str | None:
        """The user; None where none was set."""
        return self.user_name

    def get_password(self) -> str | None:
        """The password; None where none was set."""
        return self.password

    class JdbcConnectionOptionsBuilder:
        """Builds `JdbcConnectionOptions`."""

        def __init__(self) -> None:
            self._url: str | None = None
            self._driver_name: str | None = None
            self._user_name: str | None = None
            self._password: str | None = None

        def with_url(self, url: str) -> Self:
            """Set the URL, which is needed."""
            self._url = url
            return self

        def with_driver_name(self, driver_name: str) -> Self:
            """Name Java's driver; no effect: the URL says which database it is."""
            self._driver_name = driver_name
            return self

        def with_user_name(self, user_name: str) -> Self:
            """Set the user."""
            self._user_name = user_name
            return self

        def with_password(self, password: str) -> Self:
            """Set the password."""
            self._password = password
            return self

        def build(self) -> JdbcConnectionOptions:
            """The options.

            Raises:
                ValidationError: No URL was set.
            """
            if not isinstance(self._url, str) or not self._url:
                raise ValidationError("JdbcConnectionOptionsBuilder: no database is named: call with_url")
            return JdbcConnectionOptions(self._url, self._driver_name, self._user_name, self._password)


@dataclass(frozen=True)
class JdbcExecutionOptions:
    """How a database is written to.

    Attributes:
        batch_interval_ms: A batch that began so long ago ends with the next records; 0: only full ones and the
            epoch's end do.
        batch_size: Records of one batch, which is one transaction; 0: all of an epoch.
        max_retries: How often a batch is tried again that failed because the database was away.
    """

    batch_interval_ms: int = 0
    batch_size: int = 5000
    max_retries: int = 3

    def get_batch_interval_ms(self) -> int:
        """The interval that was set, in ms; default 0."""
        return self.batch_interval_ms

    def get_batch_size(self) -> int:
        """Records of one batch; default 5000."""
        return self.batch_size

    def get_max_retries(self) -> int:
        """How often a batch is tried again; default 3."""
        return self.max_retries

    @staticmethod
    def defaults() -> JdbcExecutionOptions:
        """Flink's defaults."""
        return JdbcExecutionOptions()

    @staticmethod
    def builder() -> JdbcExecutionOptions.Builder:
        """A builder of options."""
        return JdbcExecutionOptions.Builder()

    class Builder:
        """Builds `JdbcExecutionOptions`."""

        def __init__(self) -> None:
            self._interval_ms = JdbcExecutionOptions.batch_interval_ms
            self._size = JdbcExecutionOptions.batch_size
            self._retries = JdbcExecutionOptions.max_retries

        def with_batch_size(self, size: int) -> Self:
            """Set the records of one batch."""
            self._size = _count("with_batch_size", size)
            return self

        def with_batch_interval_ms(self, interval_ms: int) -> Self:
            """Set the longest time of a batch, in ms, looked at when records come. Default: 0, no such time."""
            self._interval_ms = _count("with_batch_interval_ms", interval_ms)
            return self

        def with_max_retries(self, max_retries: int) -> Self:
            """Set how often a batch is tried again when the database is away."""
            self._retries = _count("with_max_retries", max_retries)
            return self

        def build(self) -> JdbcExecutionOptions:
            """The options."""
            return JdbcExecutionOptions(self._interval_ms, self._size, self._retries)


def _count(call: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValidationError(f"{call} needs a whole number, at least 0, got {cut(value)}")
    return value
