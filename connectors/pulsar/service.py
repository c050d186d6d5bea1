"""A cluster of Pulsar: its addresses, credentials, and clients."""

from __future__ import annotations

import json
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from datastream.errors import ValidationError, cut

from .failures import failure

_ADMIN_S = 20.0
_AUTH = "org.apache.pulsar.client.impl.auth."


@dataclass(frozen=True)
class Authentication:
    """Credentials, by Java's name of what uses them.

    Attributes:
        plugin: The class, such as ``org.apache.pulsar.client.impl.auth.AuthenticationToken``.
        parameters: Its parameters; never shown.
    """

    plugin: str
    parameters: str | Mapping[str, str] = field(repr=False)

    def of_library(self) -> Any:
        """The library's.

        Raises:
            ValidationError: It has no such class, or a parameter is missing.
        """
        import pulsar

        name = self.plugin.removeprefix(_AUTH).removeprefix("oauth2.")
        given = self.parameters
        try:
            if name == "AuthenticationToken":
                text = given if isinstance(given, str) else given["token"]
                if text.startswith("file:"):
                    path = text.removeprefix("file:").removeprefix("//")
                    return pulsar.AuthenticationToken(lambda: _content(path))
                return pulsar.AuthenticationToken(text.removeprefix("token:"))
            if name == "AuthenticationOAuth2":
                return pulsar.AuthenticationOauth2(given if isinstance(given, str) else json.dumps(dict(given)))
            values = _parsed(given)
            if name == "AuthenticationTls":
                return pulsar.AuthenticationTLS(values["tlsCertFile"], values["tlsKeyFile"])
            if name == "AuthenticationBasic":
                return pulsar.AuthenticationBasic(values["userId"], values["password"])
        except KeyError as missing:
            raise ValidationError(f"Pulsar: set_authentication({name}) needs the parameter {missing}") from None
        raise ValidationError(
            f"Pulsar: set_authentication({cut(self.plugin)}): the library for Python has AuthenticationToken, "
            "AuthenticationTls, AuthenticationBasic and AuthenticationOAuth2"
        )

    @property
    def header(self) -> str | None:
        """What requests to the admin URL say; None: nothing."""
        if self.plugin == f"{_AUTH}AuthenticationToken":
            text = self.parameters if isinstance(self.parameters, str) else self.parameters.get("token", "")
            if text.startswith("file:"):
                return f"Bearer {_content(text.removeprefix('file:').removeprefix('//'))}"
            return f"Bearer {text.removeprefix('token:')}"
        return None


@dataclass(frozen=True)
class Service:
    """A cluster.

    Attributes:
        url: Of its brokers.
        admin_url: Of its REST API; None: not known.
        authentication: Credentials; None: without.
        options: Arguments of the library's client.
    """

    url: str
    admin_url: str | None = None
    authentication: Authentication | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"Pulsar at {self.url}"

    def validate(self) -> None:
        """Check that the library is there, and has the credentials.

        Raises:
            ValidationError: It is not.
        """
        try:
            import pulsar  # noqa: F401
        except ImportError as error:
            raise ValidationError(
                f"Pulsar needs the package pulsar-client: pip install 'pulsar-client>=3.13,<4' ({error})"
            ) from error
        if self.authentication is not None:
            self.authentication.of_library()

    def client(self) -> Any:
        """A client of the library, which connects when it is first used."""
        self.validate()
        import pulsar

        authentication = self.authentication and self.authentication.of_library()
        # It would log to stdout. What it fails with is raised.
        quiet = pulsar.FileLogger(pulsar.LoggerLevel.Error, os.devnull)
        try:
            return pulsar.Client(self.url, authentication=authentication, logger=quiet, **self.options)
        except Exception as error:
            raise failure(error, self, "a client") from error

    def partitions(self, client: Any, topic: str) -> list[str]:
        """The names of a topic's partitions; of one without partitions, its own."""
        try:
            return [_whole(name) for name in client.get_topic_partitions(topic)]
        except Exception as error:
            raise failure(error, self, f"the topic {topic!r}") from error

    def deduplicates(self, topic: str) -> bool:
        """Whether the brokers drop messages of a topic that they have already.

        Raises:
            ConnectionError: The admin URL is away.
            ValidationError: It refuses the request.
        """
        assert self.admin_url is not None
        kind, _, name = _whole(topic).partition("://")
        path = f"admin/v2/{kind}/{'/'.join(map(quote, name.split('/')))}/deduplicationEnabled?applied=true"
        request = urllib.request.Request(f"{self.admin_url.rstrip('/')}/{path}")
        if self.authentication is not None and self.authentication.header is not None:
            request.add_header("Authorization", self.authentication.header)
        where = f"Pulsar's admin URL {self.admin_url}"
        try:
            with urllib.request.urlopen(request, timeout=_ADMIN_S, context=self._tls()) as answer:
                return bool(json.loads(answer.read() or b"null"))
        except urllib.error.HTTPError as error:
            with error:
                why = f"{where} does not say whether {topic!r} has deduplication: HTTP {error.code} {error.reason}"
            raise (ConnectionError(why) if error.code >= 500 else ValidationError(why)) from None
        except (OSError, ValueError) as error:
            raise ConnectionError(f"{where} is away: {error}") from error

    def _tls(self) -> ssl.SSLContext | None:
        """What a request to an admin URL with TLS needs; None: it is without."""
        assert self.admin_url is not None
        if not self.admin_url.startswith("https:"):
            return None
        context = ssl.create_default_context(cafile=self.options.get("tls_trust_certs_file_path"))
        if self.options.get("tls_allow_insecure_connection"):
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context


def checked_url(url: Any, call: str, schemes: tuple[str, ...]) -> str:
    """A URL.

    Raises:
        ValidationError: It has another scheme, or no host.
    """
    expected = f"{call}: expected a URL such as '{schemes[0]}://localhost:{6650 if 'pulsar' in schemes else 8080}'"
    if not isinstance(url, str):
        raise ValidationError(f"{expected}, got {cut(url)}")
    scheme, _, rest = url.partition("://")
    if scheme not in schemes or not rest:
        raise ValidationError(f"{expected}, got {cut(url)}")
    if "@" in rest.partition("/")[0]:
        raise ValidationError(f"{expected}: credentials belong into set_authentication")
    return url


def _whole(topic: str) -> str:
    """A topic's whole name."""
    if "://" in topic:
        return topic
    return f"persistent://{topic}" if topic.count("/") == 2 else f"persistent://public/default/{topic}"


def _parsed(parameters: str | Mapping[str, str]) -> Mapping[str, str]:
    """Parameters as a dict: ``key1:value1,key2:value2`` or JSON."""
    if not isinstance(parameters, str):
        return parameters
    if parameters.lstrip().startswith("{"):
        try:
            found: dict[str, str] = json.loads(parameters)
        except ValueError:
            raise ValidationError("Pulsar: the parameters of set_authentication are no JSON") from None
        return found
    pairs = (part.partition(":") for part in parameters.split(",") if part)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _content(path: str) -> str:
    with open(path) as file:
        return file.read().strip()
