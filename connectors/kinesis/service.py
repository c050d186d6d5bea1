"""Where AWS is and who asks it."""

from __future__ import annotations

import difflib
import os
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from datastream.connectors.server_settings import check_package
from datastream.errors import ValidationError, cut
from datastream.without_effect import warn_once

_CREDENTIALS = "aws.credentials."
_LONG_CREDENTIALS = "aws.credentials.provider."
_KNOWN = frozenset(
    (
        "aws.region",
        "aws.endpoint",
        "aws.trust.all.certificates",
        "aws.credentials.provider",
        "aws.credentials.basic.accesskeyid",
        "aws.credentials.basic.secretkey",
        "aws.credentials.basic.sessiontoken",
        "aws.credentials.profile.name",
    )
)
_WITHOUT_EFFECT = ("aws.http.protocol.version", "aws.http-client.")
_PROVIDERS = ("AUTO", "BASIC", "ENV_VAR", "PROFILE")
_CONNECT_S, _READ_S = 5, 20
#: Sessions of boto3 make one client at a time.
_making = threading.Lock()


@dataclass(frozen=True)
class Service:
    """A region of AWS, or a server that speaks its protocol, and the credentials to use.

    Attributes:
        region: The region.
        endpoint: Address of another server; None: AWS's own.
        provider: Where credentials come from: ``AUTO``, ``BASIC``, ``ENV_VAR`` or ``PROFILE``.
        credentials: The properties of the provider, such as ``basic.secretkey``; never shown.
        verify: Whether certificates are verified.
    """

    region: str
    endpoint: str | None = None
    provider: str = "AUTO"
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    verify: bool = True

    def __str__(self) -> str:
        return f"AWS of {self.region}" + (f" at {self.endpoint}" if self.endpoint else "")

    def validate(self) -> None:
        """Check that the library is there.

        Raises:
            ValidationError: It is not.
        """
        check_package("Kinesis", "boto3", "boto3>=1.35")

    def client(self, name: str) -> Any:
        """A client of boto3.

        Args:
            name: ``kinesis`` or ``firehose``.

        Raises:
            ValidationError: There are no such credentials.
        """
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError

        # Retries are ours: they go on after the records that were taken.
        config = Config(connect_timeout=_CONNECT_S, read_timeout=_READ_S, retries={"total_max_attempts": 1})
        verify = None if self.verify else False
        try:
            with _making:
                session = _session(os.getpid(), self.credentials.get("profile.name"))
                return session.client(
                    name,
                    region_name=self.region,
                    endpoint_url=self.endpoint,
                    config=config,
                    verify=verify,
                    **self._arguments(),
                )
        except (BotoCoreError, ValueError) as error:
            raise ValidationError(f"{self}: no client can be made ({type(error).__name__}: {error})") from None

    def _arguments(self) -> dict[str, Any]:
        """The credentials, as boto3's client takes them."""
        given = self.credentials
        if self.provider == "BASIC":
            return _keys(given["basic.accesskeyid"], given["basic.secretkey"], given.get("basic.sessiontoken"))
        if self.provider == "ENV_VAR":
            try:
                found = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
            except KeyError as error:
                raise ValidationError(
                    f"{self}: the environment variable {error} is not set, which aws.credentials.provider=ENV_VAR needs"
                ) from None
            return _keys(*found, os.environ.get("AWS_SESSION_TOKEN"))
        return {}


@lru_cache(maxsize=4)
def _session(pid: int, profile: str | None) -> Any:
    """A session of this process: what it reads of the service's model is kept."""
    import boto3

    return boto3.session.Session(profile_name=profile)


def _keys(key: str, secret: str, token: str | None) -> dict[str, Any]:
    return {"aws_access_key_id": key, "aws_secret_access_key": secret, "aws_session_token": token}


def service_of(properties: Mapping[str, Any], what: str, region: str | None = None) -> Service:
    """The service that properties of Flink's names describe.

    Args:
        properties: Those that begin with ``aws.``.
        what: What has them, for errors.
        region: The region where the properties name none, such as that of an ARN.

    Raises:
        ValidationError: One is unknown, missing or wrong.
    """
    given = {_short(name): value for name, value in properties.items()}
    for name in properties:
        if _short(name) not in _KNOWN:
            refuse_unknown(name, what, _KNOWN, _WITHOUT_EFFECT)
    for name, value in given.items():
        if not isinstance(value, str):
            raise ValidationError(f"{what}: the property {name!r} must be a text, got {type(value).__name__}")
    found = given.get("aws.region", region)
    if not found:
        raise ValidationError(f"{what}: the property 'aws.region' is needed, such as 'eu-west-1'")
    credentials = {
        name.removeprefix(_CREDENTIALS): value
        for name, value in given.items()
        if name.startswith(_CREDENTIALS) and name != "aws.credentials.provider"
    }
    implied = "BASIC" if any(name.startswith("basic.") for name in credentials) else "AUTO"
    provider = given.get("aws.credentials.provider", implied)
    if provider not in _PROVIDERS:
        raise ValidationError(
            f"{what}: aws.credentials.provider={cut(provider)} is not possible here; use {', '.join(_PROVIDERS)}; "
            "a profile may name a role, with role_arn in the file ~/.aws/config"
        )
    needed = {"BASIC": ("basic.accesskeyid", "basic.secretkey"), "PROFILE": ("profile.name",)}
    for name in needed.get(provider, ()):
        if not credentials.get(name):
            raise ValidationError(
                f"{what}: aws.credentials.provider={provider} needs the property 'aws.credentials.{name}'"
            )
    trusting = given.get("aws.trust.all.certificates", "false").lower() == "true"
    return Service(found, given.get("aws.endpoint"), provider, credentials, not trusting)


def refuse_unknown(name: str, what: str, known: Collection[str], without_effect: Collection[str]) -> None:
    """Warn of a property that has no effect here.

    Raises:
        ValidationError: It is none that Flink knows.
    """
    if name.startswith(tuple(without_effect)):
        warn_once(f"{what}: the property {name!r}", "it is for the client or the threads of Java's connector")
        return
    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(sorted(known))}"
    raise ValidationError(f"{what}: the property {name!r} is unknown{hint}")


def _short(name: str) -> str:
    """The short form of a property's name: Flink's tables and streams name credentials in two ways."""
    if name.startswith(_LONG_CREDENTIALS):
        return _CREDENTIALS + name.removeprefix(_LONG_CREDENTIALS)
    return name
