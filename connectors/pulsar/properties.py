"""PyFlink's properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.without_effect import warn_once

from .service import Authentication, Service, checked_url

_CLIENT = {
    "operationTimeoutMs": ("operation_timeout_seconds", "seconds"),
    "connectionTimeoutMs": ("connection_timeout_ms", "number"),
    "numIoThreads": ("io_threads", "number"),
    "listenerName": ("listener_name", "text"),
    "tlsTrustCertsFilePath": ("tls_trust_certs_file_path", "text"),
    "tlsCertificateFilePath": ("tls_certificate_file_path", "text"),
    "tlsKeyFilePath": ("tls_private_key_file_path", "text"),
    "tlsAllowInsecureConnection": ("tls_allow_insecure_connection", "flag"),
    "tlsHostnameVerificationEnable": ("tls_validate_hostname", "flag"),
}
#: What a call takes a broker to answer; the library's own, 30 s, is longer than a job should wait to begin again.
_OPERATION_S = 10


def checked_topics(topics: str | Sequence[str], what: str) -> tuple[str, ...]:
    """Names of topics, each once.

    Args:
        topics: One, or several.
        what: Source or sink, for errors.

    Raises:
        ValidationError: There is none, or one is not a name.
    """
    found = (topics,) if isinstance(topics, str) else tuple(topics)
    if not found or not all(isinstance(topic, str) and topic for topic in found):
        raise ValidationError(f"{what}: set_topics: expected names of topics, got {cut(topics)}")
    return tuple(dict.fromkeys(found))


class Properties:
    """Properties of a builder, each of which is read once.

    Args:
        given: By name.
        what: Source or sink, for errors.
        without_effect: What the names begin with that have a meaning for Java's client or Flink alone.
    """

    def __init__(self, given: Mapping[str, Any], what: str, without_effect: tuple[str, ...]) -> None:
        self._left, self._what, self._without = dict(given), what, without_effect

    def number(self, name: str, default: int, least: int = 0) -> int:
        """A whole number.

        Raises:
            ValidationError: It is none, or too small.
        """
        value = self._left.pop(name, default)
        try:
            found = int(str(value))
        except ValueError:
            found = least - 1
        if found < least:
            raise ValidationError(f"{self._what}: {name} must be a whole number from {least} on, got {cut(value)}")
        return found

    def flag(self, name: str, default: bool) -> bool:
        """True or False.

        Raises:
            ValidationError: It is neither.
        """
        value = self._left.pop(name, default)
        if str(value).lower() not in ("true", "false"):
            raise ValidationError(f"{self._what}: {name} must be true or false, got {cut(value)}")
        return str(value).lower() == "true"

    def text(self, name: str) -> str | None:
        """A text; None: it is not set."""
        value = self._left.pop(name, None)
        return None if value is None else str(value)

    def service(self, url: str | None, admin_url: str | None, authentication: Authentication | None) -> Service:
        """The cluster, of the builder's own settings and of the properties.

        Raises:
            ValidationError: The URL is missing, or a property is wrong.
        """
        what = self._what
        url = url or self.text("pulsar.client.serviceUrl")
        admin_url = admin_url or self.text("pulsar.admin.adminUrl")
        if not url:
            raise ValidationError(f"{what} needs set_service_url, such as 'pulsar://localhost:6650'")
        options: dict[str, Any] = {"operation_timeout_seconds": _OPERATION_S}
        for name, (argument, kind) in _CLIENT.items():
            whole = f"pulsar.client.{name}"
            if whole in self._left:
                if kind == "flag":
                    options[argument] = self.flag(whole, False)
                elif kind == "text":
                    options[argument] = self.text(whole)
                else:
                    number = self.number(whole, 0, 1)
                    options[argument] = max(number // 1000, 1) if kind == "seconds" else number
        plugin, parameters = (self.text(f"pulsar.client.{name}") for name in ("authPluginClassName", "authParams"))
        if authentication is None and plugin is not None:
            authentication = Authentication(plugin, parameters or "")
        return Service(
            checked_url(url, f"{what}: set_service_url", ("pulsar", "pulsar+ssl")),
            admin_url and checked_url(admin_url, f"{what}: set_admin_url", ("http", "https")),
            authentication,
            options,
        )

    def end(self) -> None:
        """All that have a meaning are read; warn of those without.

        Raises:
            ValidationError: One is not known.
        """
        for name in self._left:
            if not name.startswith(self._without):
                raise ValidationError(
                    f"{self._what}: the property {cut(name)} is not known; names begin with {', '.join(self._without)}"
                )
            warn_once(f"{self._what}: {name}", "it is for Flink's connector or its client of Java")
