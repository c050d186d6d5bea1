"""How a cluster of OpenSearch is reached: by the transport of Elastic's client, which itself takes no OpenSearch."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from datastream.errors import ValidationError

from .connection import ElasticsearchConnection

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

_OF_ELASTIC = ("api_key", "bearer_token", "cloud_id")


@dataclass(frozen=True)
class OpenSearchConnection(ElasticsearchConnection):
    """How a cluster of OpenSearch 1 or newer is reached; for sinks. Attributes are those of `ElasticsearchConnection`.

    Raises:
        ValidationError: As there; or a way to log in that OpenSearch does not have.
    """

    product: ClassVar[str] = "OpenSearch"

    def __post_init__(self) -> None:
        super().__post_init__()
        if wrong := [name for name in _OF_ELASTIC if getattr(self, name) is not None]:
            raise ValidationError(f"OpenSearchConnection: {wrong[0]} is for Elasticsearch; use user_name and password")

    def connect(self) -> Any:
        headers = {}
        if self.user_name is not None:
            login = b64encode(f"{self.user_name}:{self.password or ''}".encode()).decode()
            headers["authorization"] = f"Basic {login}"
        return _Client(super().connect(), headers)


class _Client:
    """What sinks use of a client.

    Args:
        inner: Elastic's, whose transport knows the nodes.
        headers: Of each request.
    """

    def __init__(self, inner: Elasticsearch, headers: Mapping[str, str]) -> None:
        self._inner, self._headers = inner, headers

    def perform_request(
        self, method: str, path: str, *, params: Mapping[str, str], headers: Mapping[str, str], body: Any
    ) -> Any:
        """The answer to a request.

        Raises:
            TransportError: No node answers.
            ApiError: The cluster refuses it.
        """
        from elasticsearch import ApiError

        answer = self._inner.transport.perform_request(
            method, f"{path}?{urlencode(params)}", headers={**headers, **self._headers}, body=body
        )
        if not 200 <= answer.meta.status < 300:
            raise ApiError(message=str(answer.meta.status), meta=answer.meta, body=answer.body)
        return answer

    def close(self) -> None:
        """Close all connections."""
        self._inner.close()
