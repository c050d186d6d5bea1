"""Requests to the gateway: what is sent again, and which error an answer is."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from .errors import GatewayAway, GatewayError, NotAllowed, NotFound

#: Waits before a request is sent again, in seconds.
_WAITS_S = (0.1, 0.3, 0.6, 1.0)
#: The longest wait that a server's Retry-After may ask for.
_LONGEST_WAIT_S = 30.0
_LONGEST_TEXT = 2000
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

#: Nothing was sent: no connection came about.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Transport:
    """Sends requests to a gateway.

    Reads are sent again if the connection breaks or the gateway is busy (429, 503), writes only if the gateway did not
    get them.

    Args:
        url: The gateway's URL.
        token: The token, or None.
        timeout_s: How long a connection may take to be made, and the server to say something.
        retries: How often a request is sent again.
    """

    def __init__(self, url: str, token: str | None, timeout_s: float, retries: int) -> None:
        self.url = url.rstrip("/")
        self._has_token = token is not None
        self._timeout_s = timeout_s
        self._retries = retries
        parts = urlsplit(self.url)
        self._http = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"} if token is not None else {},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, 10.0)),
            # Less than servers keep an idle connection: a write on one that ends just then would have no answer.
            limits=httpx.Limits(keepalive_expiry=2.0),
            # Variables name proxies, which are not wanted on the way to this machine, and certificates.
            trust_env=parts.scheme == "https" or parts.hostname not in _LOOPBACK,
            # Without TLS there is nothing to verify, and to load the certificates takes 0.1 s.
            verify=parts.scheme == "https",
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, **params: Any) -> Any:
        """The JSON that the gateway returns for a path."""
        return self.call("GET", path, params={key: value for key, value in params.items() if value is not None})

    def call(self, method: str, path: str, read_timeout_s: float | None = None, **options: Any) -> Any:
        """Send a request and return the answer's JSON. GET is a read, everything else a write.

        Raises:
            GatewayError: The gateway refused the request.
            GatewayAway: There is no answer.
        """
        return _json(self._send(self._request(method, path, read_timeout_s, options), whole=True), self.url)

    @contextmanager
    def stream(self, path: str, read_timeout_s: float | None = None, **params: Any) -> Iterator[httpx.Response]:
        """Read a path whose answer may be long: the answer is good, and its body is still to be read.

        Raises:
            GatewayError: The gateway refused the request.
            GatewayAway: There is no answer.
        """
        request = self._request("GET", path, read_timeout_s, {"params": params})
        response = self._send(request, whole=False)
        try:
            yield response
        except httpx.TransportError as error:  # in the middle of the body
            raise self.away(error) from None
        finally:
            response.close()

    def away(self, error: Exception) -> GatewayAway:
        """The error for a gateway that does not answer."""
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            return GatewayAway(f"the gateway at {self.url} did not answer within {self._timeout_s:g} s")
        if isinstance(error, httpx.UnsupportedProtocol):
            return GatewayAway(f"{self.url} is not a URL such as http://127.0.0.1:8081")
        reason = str(error) or type(error).__name__
        if not isinstance(error, _NOT_SENT):
            return GatewayAway(f"the connection to the gateway at {self.url} broke: {reason}")
        return GatewayAway(
            f"no gateway answers at {self.url} ({reason}). Start one with 'datastream-gateway serve', or name another "
            "with --gateway, DATASTREAM_GATEWAY_URL or url in ~/.config/datastream/gateway.toml"
        )

    def _request(self, method: str, path: str, read_timeout_s: float | None, options: dict[str, Any]) -> httpx.Request:
        if read_timeout_s is not None:
            options["timeout"] = httpx.Timeout(self._timeout_s, read=read_timeout_s)
        return self._http.build_request(method, path, **options)

    def _send(self, request: httpx.Request, whole: bool) -> httpx.Response:
        tries = 0
        while True:
            wait_s = _WAITS_S[min(tries, len(_WAITS_S) - 1)]
            last = tries >= self._retries
            tries += 1
            try:
                response = self._http.send(request, stream=True)
                if whole or response.status_code >= 300:
                    response.read()
            except httpx.TransportError as error:
                if last or not self._may_repeat(request, error):
                    raise self.away(error) from None
            else:
                if response.status_code < 300:
                    return response
                busy = request.method == "GET" and response.status_code in (429, 503)
                asked_s = _retry_after_s(response)
                if last or not busy or asked_s is None or asked_s > _LONGEST_WAIT_S:
                    raise self._refusal(response)
                wait_s = asked_s
            time.sleep(wait_s * random.uniform(1.0, 1.2))

    @staticmethod
    def _may_repeat(request: httpx.Request, error: httpx.TransportError) -> bool:
        if isinstance(error, httpx.UnsupportedProtocol | httpx.ProxyError):
            return False
        if isinstance(error, _NOT_SENT):
            return not isinstance(error, httpx.ConnectTimeout)
        return request.method == "GET" and not isinstance(error, httpx.TimeoutException)

    def _refusal(self, response: httpx.Response) -> GatewayError:
        status, errors = response.status_code, _errors(response)
        said = "; ".join(errors).rstrip(".")
        if status == 401:
            known = "does not accept this token" if self._has_token else "wants a token"
            return NotAllowed(f"the gateway at {self.url} {known}: {said}. {_MAKE_TOKEN}", status, errors)
        if status == 403:
            return NotAllowed(f"this token may not do that: {said}. {_MAKE_TOKEN}", status, errors)
        if status == 404:
            return NotFound(said, status, errors)
        if 300 <= status < 400:
            place = response.headers.get("Location", "elsewhere")
            return GatewayError(f"{self.url} leads to {place}; give that URL if it is the gateway's", status, errors)
        return GatewayError(f"{said} (status {status})", status, errors)


_MAKE_TOKEN = (
    "Make a token on the gateway's machine with "
    "'datastream-gateway token create --name NAME --scope read --scope write', and give it by --token-file, "
    "DATASTREAM_GATEWAY_TOKEN or token in ~/.config/datastream/gateway.toml (its option --save writes that file)"
)


def _errors(response: httpx.Response) -> tuple[str, ...]:
    """The gateway's messages; of another server, the beginning of what it says."""
    try:
        value = response.json()
        if isinstance(value, Mapping) and isinstance(value.get("errors"), list) and value["errors"]:
            return tuple(str(text)[:_LONGEST_TEXT] for text in value["errors"])
    except ValueError:
        pass  # a proxy's page
    text = "" if "html" in response.headers.get("Content-Type", "") else response.text.strip()[:200]
    return (text or response.reason_phrase or f"status {response.status_code}",)


def _json(response: httpx.Response, url: str) -> Any:
    try:
        return response.json() if response.content else {}
    except ValueError:
        raise GatewayError(
            f"{url} answered with something that is not JSON: it is not a gateway", response.status_code
        ) from None


def _retry_after_s(response: httpx.Response) -> float | None:
    """What Retry-After says, in seconds; it may be a number or a date."""
    text = response.headers.get("Retry-After")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
