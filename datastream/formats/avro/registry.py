"""The schema registry: schemas by number, through the client of confluent-kafka."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from datastream.environments.secret_values import hide, secrets_of
from datastream.errors import DataStreamError, FormatError, JobError, ValidationError
from datastream.formats.avro.schema import AvroSchema

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

#: Seconds that a request may take, where the configuration does not say; the client itself would wait for ever.
_TIMEOUT_S = 30
#: Seconds for which a number that the registry does not know is not asked for again.
_FORGET_S = 60


class Registry:
    """A schema registry. It holds its address and configuration; the connection is made at first use.

    Args:
        url: Its address, or several with commas between.
        config: Properties of confluent_kafka's SchemaRegistryClient, such as ``basic.auth.user.info``. Credentials
            are not shown in errors or logs; they travel to the workers with the job.

    Raises:
        ValidationError: a property is not valid.
    """

    def __init__(self, url: str, config: dict[str, Any] | None) -> None:
        plain, user = _without_user(url)
        self._config: dict[str, Any] = {"timeout": _TIMEOUT_S, **(config or {}), "url": plain}
        if user:
            self._config.setdefault("basic.auth.user.info", user)
        # Java's property for what the client here tells by itself.
        self._config.pop("basic.auth.credentials.source", None)
        self._unknown: dict[int, float] = {}
        self._client  # noqa: B018  made now, so that a wrong configuration fails here; it connects later

    @cached_property
    def _client(self) -> SchemaRegistryClient:
        try:
            from confluent_kafka.schema_registry import SchemaRegistryClient
        except ImportError as error:
            raise ValidationError(
                f"The schema registry needs confluent-kafka ({error}): pip install 'confluent-kafka[schemaregistry]'"
            ) from None
        try:
            return SchemaRegistryClient(self._config)
        except Exception as error:  # ValueError, TypeError, and whatever the TLS files give
            raise ValidationError(f"The schema registry's configuration is not valid: {self._reason(error)}") from None

    def schema(self, number: int) -> AvroSchema:
        """The schema of a number.

        Raises:
            FormatError: there is none of this number, or it is no Avro schema.
            JobError: the registry cannot be reached, or refuses.
        """
        if time.monotonic() < self._unknown.get(number, 0):
            raise _no_schema(number)
        try:
            found = self._client.get_schema(number)
            references = self._references(found, {}, 0)
        except Exception as error:
            if getattr(error, "http_status_code", None) == 404:
                self._remember_unknown(number)
                raise _no_schema(number) from None
            raise self._failed(error, f"for the schema of number {number}") from None
        if found.schema_type not in (None, "AVRO"):
            raise FormatError(f"the registry's schema of number {number} is {found.schema_type}, not AVRO")
        try:
            return AvroSchema(str(found.schema_str), references)
        except ValidationError as error:
            raise FormatError(f"the registry's schema of number {number}: {error}") from None

    def number(self, subject: str, schema: AvroSchema) -> int:
        """The number of a schema under a subject; it is registered there, if it is not yet.

        Raises:
            JobError: the registry cannot be reached, or does not take the schema.
        """
        from confluent_kafka.schema_registry import Schema

        try:
            return int(self._client.register_schema(subject, Schema(str(schema), "AVRO")))
        except Exception as error:
            raise self._failed(error, f"to register the schema under the subject {subject!r}") from None

    def _references(self, schema: Schema, found: dict[str, str], depth: int) -> list[str]:
        """The schemas that one mentions, each after those that it mentions itself."""
        for reference in schema.references or ():
            name = str(reference.name)
            if name not in found and depth < 50:
                other = self._client.get_version(str(reference.subject), int(reference.version or 1)).schema
                self._references(other, found, depth + 1)
                found[name] = str(other.schema_str)
        return list(found.values())

    def _remember_unknown(self, number: int) -> None:
        if len(self._unknown) > 10_000:
            self._unknown.clear()
        self._unknown[number] = time.monotonic() + _FORGET_S

    def _failed(self, error: Exception, what: str) -> DataStreamError:
        if isinstance(error, DataStreamError):
            return error
        status = getattr(error, "http_status_code", None)
        hint = "check that it runs, and its address" if status is None else "see its log"
        hint = "check the credentials" if status in (401, 403) else hint
        return JobError(f"cannot ask the schema registry at {self._place()} {what}: {self._reason(error)}; {hint}")

    def _place(self) -> str:
        """The addresses; there is nothing secret in them."""
        return str(self._config["url"])

    def _reason(self, error: Exception) -> str:
        return hide(f"{type(error).__name__}: {error}", secrets_of(self._config))[:500]

    def __getstate__(self) -> dict[str, Any]:
        return {"_config": self._config, "_unknown": {}}

    def __repr__(self) -> str:
        return f"Registry({self._place()})"


def _without_user(urls: str) -> tuple[str, str]:
    """The addresses without ``user:password@``, and the first such: HTTP clients log addresses."""
    if not isinstance(urls, str):
        raise ValidationError(f"the schema registry's address is a str, got {type(urls).__name__}")
    parts = [urlsplit(url.strip()) for url in urls.split(",")]
    users = [unquote(part.netloc.rpartition("@")[0]) for part in parts if "@" in part.netloc]
    plain = [urlunsplit(part._replace(netloc=part.netloc.rpartition("@")[2])) for part in parts]
    return ",".join(plain), users[0] if users else ""


def _no_schema(number: int) -> FormatError:
    return FormatError(f"the schema registry has no schema of number {number}")
