"""How a cluster is reached, and what its client's errors mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from datastream.errors import ValidationError, cut

if TYPE_CHECKING:
    from elasticsearch import ApiError, Elasticsearch

_PORT = 9200
#: Answers of a cluster, or of a proxy before it, that is there and cannot serve now.
_UNAVAILABLE = (408, 502, 503, 504)
#: Answers of servers that do not know the requests or the media types of Elasticsearch 8.
_NOT_UNDERSTOOD = (400, 404, 405, 406)


@dataclass(frozen=True)
class ElasticsearchConnection:
    """How a cluster is reached.

    Attributes:
        hosts: Nodes: ``host``, ``host:port`` or ``https://host:port``. Default: http, and port 9200.
        user_name: Of basic authentication.
        password: The user's. Never shown.
        api_key: Instead of a user, as Kibana shows it ("encoded"). Never shown.
        bearer_token: Instead of a user. Never shown.
        cloud_id: Of a deployment in Elastic Cloud, instead of hosts.
        path_prefix: Before the path of each request, such as ``search``.
        request_timeout_ms: How long an answer may take, in ms.
        ca_certs: File with the certificates of the authorities that are trusted, on every machine of the job.
        certificate_fingerprint: SHA-256 of the one certificate that is trusted.
        client_certificate: File with the job's own certificate.
        client_key: File with its key.
        allow_insecure: Trust any certificate.
        compress: Compress what is sent and received.

    Raises:
        ValidationError: No host, or one that cannot be; two ways to log in.
    """

    #: What the cluster is, for messages.
    product: ClassVar[str] = "Elasticsearch"

    hosts: tuple[str, ...] = ()
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    bearer_token: str | None = field(default=None, repr=False)
    cloud_id: str | None = None
    path_prefix: str | None = None
    request_timeout_ms: int = 30_000
    ca_certs: str | None = None
    certificate_fingerprint: str | None = None
    client_certificate: str | None = None
    client_key: str | None = field(default=None, repr=False)
    allow_insecure: bool = False
    compress: bool = False

    def __post_init__(self) -> None:
        hosts: Any = self.hosts
        if not isinstance(hosts, tuple) or not all(isinstance(host, str) for host in hosts):
            raise ValidationError(
                f"ElasticsearchConnection: hosts must be a tuple of texts such as 'localhost:9200', got {cut(hosts)}"
            )
        if bool(self.hosts) == bool(self.cloud_id):
            raise ValidationError("ElasticsearchConnection: name either hosts, such as 'localhost:9200', or a cloud_id")
        for host in self.hosts:
            _url(host, self.path_prefix)
        ways = [name for name in ("user_name", "api_key", "bearer_token") if getattr(self, name) is not None]
        if len(ways) > 1:
            raise ValidationError(f"ElasticsearchConnection: {' and '.join(ways)} are set; one of them is enough")
        if self.password is not None and self.user_name is None:
            raise ValidationError("ElasticsearchConnection: there is a password, but no user_name")

    def check(self) -> None:
        """See whether the client is there, and the files.

        Raises:
            ValidationError: They are not.
        """
        try:
            import elasticsearch
        except ImportError:
            raise ValidationError(
                "Elasticsearch needs its client of version 8: pip install 'elasticsearch>=8.14,<9'"
            ) from None
        if elasticsearch.__version__[0] != 8:
            version = ".".join(map(str, elasticsearch.__version__))
            raise ValidationError(
                f"Elasticsearch needs its client of version 8, which servers of 8 and 9 take; got {version}: "
                "pip install 'elasticsearch>=8.14,<9'"
            )
        for name in ("ca_certs", "client_certificate", "client_key"):
            path = getattr(self, name)
            if path is not None and not os.path.exists(path):
                raise ValidationError(f"ElasticsearchConnection: {name} names {path}, which is not there")

    def connect(self) -> Elasticsearch:
        """A client. It reaches the cluster with its first request, and tries no node twice."""
        from elastic_transport import OrjsonSerializer
        from elasticsearch import Elasticsearch

        options: dict[str, Any] = {
            "request_timeout": self.request_timeout_ms / 1000,
            "max_retries": max(len(self.hosts) - 1, 0),
            "retry_on_status": (),
            # The mildest of the client's pauses for a node that failed: the sink's own come on top.
            "max_dead_node_backoff": 1,
            "serializers": dict.fromkeys(
                ("application/json", "application/vnd.elasticsearch+json"), OrjsonSerializer()
            ),
        }
        if self.compress:
            options["http_compress"] = True
        if self.user_name is not None:
            options["basic_auth"] = (self.user_name, self.password or "")
        options |= {
            name: value
            for name, value in (
                ("api_key", self.api_key),
                ("bearer_auth", self.bearer_token),
                ("ca_certs", self.ca_certs),
                ("ssl_assert_fingerprint", self.certificate_fingerprint),
                ("client_cert", self.client_certificate),
                ("client_key", self.client_key),
            )
            if value is not None
        }
        if self.allow_insecure and any(host.startswith("https://") for host in self.hosts):
            options |= {"verify_certs": False, "ssl_show_warn": False}
        if self.cloud_id is not None:
            return Elasticsearch(cloud_id=self.cloud_id, **options)
        return Elasticsearch([_url(host, self.path_prefix) for host in self.hosts], **options)

    def shown(self) -> str:
        """The hosts, for messages."""
        return ", ".join(urlsplit(_url(host, None)).netloc for host in self.hosts) or f"cloud_id {self.cloud_id}"

    @property
    def named(self) -> str:
        """The cluster, for messages."""
        return f"{self.product} at {self.shown()}"

    @contextmanager
    def reached(self) -> Iterator[None]:
        """Within the block the client's errors become ours.

        Raises:
            ConnectionError: The cluster is away, or cannot serve now.
            ValidationError: It lets the job not in, or is no Elasticsearch.
        """
        import elastic_transport
        from elasticsearch import ApiError, UnsupportedProductError

        try:
            yield
        except elastic_transport.TransportError as error:
            said = f"{self.named}: {error.message}"
            if "CERTIFICATE_VERIFY_FAILED" in said or "ingerprints did not match" in said:
                raise ValidationError(
                    f"{said}; name the authority (ca_certs) or the certificate (certificate_fingerprint) to be trusted"
                ) from None
            raise ConnectionError(said) from error
        except UnsupportedProductError:
            raise self._other() from None
        except ApiError as error:
            is_other = error.meta.status in _NOT_UNDERSTOOD and "x-elastic-product" not in error.meta.headers
            if is_other and self.product == "Elasticsearch":
                raise self._other() from None
            said = f"{self.named}: {reason_of(error)}"
            if error.meta.status == 401:
                raise ValidationError(f"{said}; check the user's name and password, or the API key") from None
            if error.meta.status == 403 and "security_exception" in said:
                raise ValidationError(f"{said}; give the user or the API key this right") from None
            if error.meta.status in _UNAVAILABLE:
                raise ConnectionError(said) from error
            raise

    def _other(self) -> ValidationError:
        return ValidationError(
            f"{self.shown()} is not Elasticsearch: its answers do not say so, as those of OpenSearch and of servers "
            "before 7.14 do not; Elastic's client takes no other"
        )


def reason_of(error: ApiError) -> str:
    """What the server said, in one line: its status, type and reason."""
    body = error.body
    found = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(found, dict) and "reason" in found:
        causes = found.get("root_cause") or []
        cause = causes[0] if causes and isinstance(causes[0], dict) else found
        found = f"{cause.get('type')}: {cause.get('reason') or found['reason']}"
    return f"{error.meta.status} {cut(found) if not isinstance(found, str) else found[:400]}"


def connection_of(given: Any, what: str) -> ElasticsearchConnection:
    """The connection that a user gave: itself, a host, or a list of hosts.

    Raises:
        ValidationError: It is none of these.
    """
    if isinstance(given, ElasticsearchConnection):
        return given
    if isinstance(given, str):
        return ElasticsearchConnection((given,))
    if isinstance(given, (list, tuple)):
        return ElasticsearchConnection(tuple(given))
    raise ValidationError(
        f"{what} needs hosts, such as 'localhost:9200', or an ElasticsearchConnection, got {cut(given)}"
    )


def _url(host: str, prefix: str | None) -> str:
    """The URL of a node.

    Raises:
        ValidationError: It is none.
    """
    try:
        parts = urlsplit(host if "://" in host else f"http://{host}")
        port = parts.port or (_PORT if "://" not in host else {"https": 443}.get(parts.scheme, _PORT))
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        shown = host.rpartition("@")[2]
        raise ValidationError(
            f"a node of Elasticsearch is named as localhost:9200 or https://host:9200, got {cut(shown)}"
        )
    if parts.username is not None:
        raise ValidationError(
            f"{parts.hostname}: name the user and the password in their own settings, where they are not shown"
        )
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = "/".join(part.strip("/") for part in (parts.path, prefix or "") if part.strip("/"))
    return f"{parts.scheme}://{name}:{port}{'/' + path if path else ''}"
