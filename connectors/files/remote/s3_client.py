"""The client of S3, and what its errors mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from datastream.errors import JobError, ValidationError, cut

from .location import Location

TRIES = 6
"""How often a request is sent at most, with growing pauses, when S3 is away or says to slow down."""

_OPTIONS = frozenset(("endpoint_override", "scheme", "region", "access_key", "secret_key", "session_token"))
_DENIED = frozenset(
    ("403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken")
)


#: By process and access: making a client takes 0.1 s, and it must not be used in a forked process.
_known: dict[tuple[int, str], S3Client] = {}


def s3_client(location: Location) -> S3Client:
    """The client for a location; the process keeps it. See `S3Client`."""
    key = (os.getpid(), location.access)
    if key not in _known:
        for old in [old for old in _known if old[0] != key[0]]:
            del _known[old]
        _known[key] = S3Client(location)
    return _known[key]


class S3Client:
    """boto3's client with the settings of a URI. Credentials are found as boto3 finds them, unless the URI has some.

    Args:
        location: Whose options and user count.

    Raises:
        ValidationError: boto3 is missing, or an option is unknown.

    Attributes:
        boto: boto3's client; may be used by several threads.
        address: Host and port, for messages.
    """

    def __init__(self, location: Location) -> None:
        options = checked_options(location)
        boto3, config = _imported()
        endpoint = _endpoint(options)
        custom = endpoint or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
        user, password = location.user
        session = boto3.session.Session()
        settings: dict[str, Any] = {
            "retries": {"mode": "standard", "total_max_attempts": TRIES},
            "connect_timeout": 10,
            "read_timeout": 60,
            "max_pool_connections": 16,
        }
        if custom:  # other stores know no buckets as host names, and not all of AWS' checksums
            settings["s3"] = {"addressing_style": "path"}
            settings["request_checksum_calculation"] = settings["response_checksum_validation"] = "when_required"
        self.boto: Any = session.client(
            "s3",
            endpoint_url=endpoint,
            region_name=options.get("region") or session.region_name or ("us-east-1" if custom else None),
            aws_access_key_id=options.get("access_key") or user or None,
            aws_secret_access_key=options.get("secret_key") or password or None,
            aws_session_token=options.get("session_token"),
            config=config(**settings),
        )
        url = urlsplit(self.boto.meta.endpoint_url)
        self.address = f"{url.hostname}:{url.port or (443 if url.scheme == 'https' else 80)}"

    @contextmanager
    def asked(self, what: str) -> Iterator[None]:
        """Explain the errors of a call.

        Args:
            what: What it does, such as ``list s3://bucket/logs``.

        Raises:
            ConnectionError: S3 does not answer, or has no room, after all tries.
            JobError: It refuses.
        """
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, NoCredentialsError
        from botocore.exceptions import ConnectionError as NotConnected

        try:
            yield
        except ClientError as error:
            code, status = error_code(error), error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            said = f"{code}: {cut(error.response.get('Error', {}).get('Message', ''))}"
            if status >= 500 or status == 429 or code in ("SlowDown", "RequestTimeout"):
                raise ConnectionError(f"S3 at {self.address} could not {what} by {TRIES} tries: {said}") from error
            if code == "NoSuchBucket":
                raise JobError(f"S3 at {self.address} cannot {what}: there is no such bucket; make it") from error
            if code in _DENIED or status == 403:
                raise JobError(
                    f"S3 at {self.address} refuses to {what}: {said}; check the credentials that boto3 finds "
                    "(environment, profile or role) and what they may do"
                ) from error
            raise JobError(f"S3 at {self.address} cannot {what}: {said}") from error
        except NoCredentialsError as error:
            raise JobError(
                f"no credentials to {what}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role"
            ) from error
        except (HTTPClientError, NotConnected) as error:
            raise ConnectionError(f"S3 at {self.address} does not answer to {what}: {type(error).__name__}") from error
        except BotoCoreError as error:
            raise JobError(
                f"boto3 cannot {what} at {self.address}: {type(error).__name__}: {cut(str(error))}"
            ) from error


def checked_options(location: Location) -> dict[str, str]:
    """The options of a URI of S3.

    Raises:
        ValidationError: one is unknown.
    """
    options = location.options
    if unknown := sorted(options.keys() - _OPTIONS):
        raise ValidationError(f"{location.uri}: unknown option {unknown[0]!r}; S3 takes {', '.join(sorted(_OPTIONS))}")
    return options


def error_code(error: Any) -> str:
    """The code of a ClientError, such as ``NoSuchKey``."""
    return str(error.response.get("Error", {}).get("Code", ""))


def retries_of(answer: Any) -> int:
    """How often a request was sent again."""
    return int(answer.get("ResponseMetadata", {}).get("RetryAttempts", 0))


def _endpoint(options: dict[str, str]) -> str | None:
    endpoint = options.get("endpoint_override")
    if endpoint and "://" not in endpoint:
        return f"{options.get('scheme', 'https')}://{endpoint}"
    return endpoint or None


def _imported() -> tuple[Any, Any]:
    try:
        import boto3
        from botocore.config import Config
    except ImportError as error:
        raise ValidationError(
            "S3 needs the package boto3: pip install 'spark-datastream[remote]', or pip install boto3"
        ) from error
    return boto3, Config
