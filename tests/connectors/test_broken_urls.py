"""A URL that cannot be read is refused by the connector that gets it, and a password in it is not repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from datastream.connectors.http import HttpConnection
from datastream.connectors.jdbc import JdbcConnectionOptions
from datastream.connectors.jdbc.dialects import dialect_of
from datastream.connectors.nifi import SiteToSiteClient
from datastream.connectors.twitter import TwitterSource
from datastream.errors import ValidationError
from datastream.table.execution.plan_files import plan_path


def twitter(url: str) -> TwitterSource:
    return TwitterSource({TwitterSource.CLIENT_HOSTS: url, TwitterSource.BEARER_TOKEN: "token"})


def jdbc(kind: str) -> Callable[[str], Any]:
    return lambda url: dialect_of(JdbcConnectionOptions(f"jdbc:{kind}{url[url.index(':') :]}/shop"))


TAKERS: dict[str, Callable[[str], Any]] = {
    "http": HttpConnection,
    "nifi": lambda url: SiteToSiteClient.Builder().url(url),
    "twitter": twitter,
    "mysql": jdbc("mysql"),
    "postgresql": jdbc("postgresql"),
    "plan": plan_path,
}


@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_a_host_that_cannot_be_read(taker: Callable[[str], Any]) -> None:
    with pytest.raises(ValidationError, match="expected a URL|must look like|must be a host|a URL such as"):
        taker("https://[::1")


@pytest.mark.parametrize("url", ["https://host:99999", "https://host:abc"])
@pytest.mark.parametrize("name", ["http", "nifi", "twitter", "mysql"])
def test_a_port_that_cannot_be_read(name: str, url: str) -> None:
    with pytest.raises(ValidationError, match="its host or port cannot be read"):
        TAKERS[name](url)


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(ValidationError) as error:
        dialect_of(JdbcConnectionOptions("jdbc:mysql://me:s3cret@host:abc/shop"))
    assert "s3cret" not in str(error.value)
