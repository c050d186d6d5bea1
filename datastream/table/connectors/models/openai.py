"""The provider ``openai``: models behind HTTP servers that speak OpenAI's chat completions or embeddings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import httpx

from datastream.environments.secret_values import HIDDEN
from datastream.errors import ValidationError
from datastream.table.functions.predict_functions import AsyncPredictFunction, PredictContext
from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import ArrayType, CharType, DataType, FloatType, VarCharType
from datastream.table.types.type_text import summary
from datastream.types import Row

_CHAT, _EMBEDDINGS = "chat/completions", "embeddings"
_REQUIRED = ("endpoint", "api-key", "model")
#: Option -> what it is in a request, and how its text is read.
_PARAMETERS: dict[str, tuple[str, Any]] = {
    "temperature": ("temperature", float),
    "top-p": ("top_p", float),
    "stop": ("stop", lambda text: text.split(",")),
    "max-tokens": ("max_tokens", int),
    "presence-penalty": ("presence_penalty", float),
    "n": ("n", int),
    "seed": ("seed", int),
    "response-format": ("response_format", lambda text: {"type": text}),
}
_STRATEGIES = {
    "error-handling-strategy": ("RETRY", "FAILOVER", "IGNORE"),
    "retry-fallback-strategy": ("FAILOVER", "IGNORE"),
}
_KNOWN = {
    _CHAT: ("provider", *_REQUIRED, *_STRATEGIES, "retry-num", "system-prompt", *_PARAMETERS),
    _EMBEDDINGS: ("provider", *_REQUIRED, *_STRATEGIES, "retry-num", "dimension"),
}
#: Between tries, which double.
FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_PASSING = (408, 409, 429)


def openai(inputs: tuple[Column, ...], outputs: tuple[Column, ...], options: Mapping[str, str]) -> type[Any]:
    """What calls the endpoint of a model.

    Raises:
        ValidationError: An option is missing, not known or wrong, or the columns are others than a request has.
    """
    missing = [key for key in _REQUIRED if key not in options]
    if missing:
        raise ValidationError(f"the option '{missing[0]}' is missing; it needs {', '.join(_REQUIRED)}")
    endpoint = options["endpoint"].rstrip("/")
    kind = next((each for each in (_CHAT, _EMBEDDINGS) if endpoint.endswith(each)), None)
    if kind is None:
        raise ValidationError(f"the endpoint must end with {_CHAT} or {_EMBEDDINGS}, got {options['endpoint']}")
    for key in options:
        if key not in _KNOWN[kind]:
            raise ValidationError(f"there is no option '{key}'; there are {', '.join(_KNOWN[kind])}")
    for key, values in _STRATEGIES.items():
        if options.get(key, values[0]).upper() not in values:
            raise ValidationError(f"'{key}' must be {', '.join(values)}, got '{options[key]}'")
    for key, read in (*((key, read) for key, (_, read) in _PARAMETERS.items()), ("retry-num", int), ("dimension", int)):
        try:
            read(options.get(key, "1"))
        except ValueError:
            raise ValidationError(f"'{key}' must be a number, got '{options[key]}'") from None
    _check("input", inputs, DataTypes.STRING())
    _check("output", outputs, DataTypes.STRING() if kind == _CHAT else DataTypes.ARRAY(DataTypes.FLOAT()))
    return OpenAIChat if kind == _CHAT else OpenAIEmbedding


def _check(side: str, columns: tuple[Column, ...], wanted: DataType) -> None:
    names = [each.name for each in columns]
    if len(columns) != 1:
        raise ValidationError(
            f"Model should have exactly one {side} physical column, but actually has {len(names)} physical columns: "
            f"[{', '.join(names)}]"
        )
    kind = columns[0].type
    if isinstance(wanted, ArrayType):
        fits = isinstance(kind, ArrayType) and isinstance(kind.element_type, FloatType)
    else:
        fits = isinstance(kind, CharType | VarCharType)
    if not fits:
        raise ValidationError(f"{side} column {names[0]} should be {summary(wanted)}, but is a {summary(kind)}.")


class RequestFailed(Exception):
    """A server refused a request for good."""


class _OpenAI(AsyncPredictFunction):
    """Sends a request for each row."""

    _client: tuple[asyncio.AbstractEventLoop, httpx.AsyncClient] | None = None

    def open(self, function_context: PredictContext) -> None:  # type: ignore[override]
        logging.getLogger("httpx").setLevel(logging.WARNING)  # it has a line for each request
        self._options = function_context.get_options()
        self._key = self._options["api-key"]
        strategy = self._option("error-handling-strategy", "RETRY").upper()
        retry = strategy == "RETRY"
        self._retries = int(self._option("retry-num", "100")) if retry else 0
        self._ignores = (self._option("retry-fallback-strategy", "FAILOVER").upper() if retry else strategy) == "IGNORE"

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and not client[0].is_closed():
            client[0].run_until_complete(client[1].aclose())

    def _option(self, key: str, default: str) -> str:
        return self._options.get(key, default)

    async def async_predict(self, row: Row) -> Any:
        text = row[0]
        if text is None:
            return None
        try:
            return self._results(await self._answer({"model": self._options["model"], **self._body(text)}))
        except (RequestFailed, ConnectionError):
            if self._ignores:
                return None
            raise

    def _body(self, text: str) -> dict[str, Any]:
        raise NotImplementedError

    def _results(self, answer: Any) -> list[Any]:
        raise NotImplementedError

    async def _answer(self, body: dict[str, Any]) -> Any:
        """The answer to a request, which is sent again while its failure can pass."""
        pause = FIRST_PAUSE_S
        for left in range(self._retries, -1, -1):
            try:
                response = await self._client_here().post(
                    self._options["endpoint"].rstrip("/"), json=body, headers={"Authorization": f"Bearer {self._key}"}
                )
            except httpx.TransportError as error:
                failure: Exception = ConnectionError(self._hidden(f"{self._options['endpoint']}: {error!r}"))
                passing = True
            else:
                if response.is_success:
                    return response.json()
                failure = RequestFailed(self._hidden(f"{response.status_code}: {_message(response)}"))
                passing = response.status_code in _PASSING or response.status_code >= 500
                if passing:
                    failure = ConnectionError(str(failure))
            if not passing or not left:
                raise failure
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        raise AssertionError("a try returns or raises")

    def _client_here(self) -> httpx.AsyncClient:
        """The client of the event loop that runs."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._client[0] is not loop:
            self._client = loop, httpx.AsyncClient(timeout=600.0)
        return self._client[1]

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, HIDDEN) if self._key else text


class OpenAIChat(_OpenAI):
    """Chat completions: a row for each choice."""

    def _body(self, text: str) -> dict[str, Any]:
        prompt = self._option("system-prompt", "You are a helpful assistant.")
        given = {name: read(self._options[key]) for key, (name, read) in _PARAMETERS.items() if key in self._options}
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": text}]
        return {"messages": messages, **given}

    def _results(self, answer: Any) -> list[Any]:
        return [(choice["message"].get("content") or "",) for choice in answer["choices"]]


class OpenAIEmbedding(_OpenAI):
    """Embeddings: a row for each."""

    def _body(self, text: str) -> dict[str, Any]:
        dimension = self._options.get("dimension")
        return {"input": text, **({} if dimension is None else {"dimensions": int(dimension)})}

    def _results(self, answer: Any) -> list[Any]:
        return [(each["embedding"],) for each in answer["data"]]


def _message(response: httpx.Response) -> str:
    """What a server says of a failure."""
    try:
        return str(response.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return response.text[:200]
