"""What drivers report, checked once where it comes in: a driver runs other people's code, or is of another version."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from .log_lines import VALUES, clean, has_too_many_values

#: Bytes of an answer.
SNAPSHOT_BYTES, PLAN_BYTES, SHORT_BYTES = 2 << 20, 2 << 20, 64 << 10

_Number = Annotated[int, Field(ge=-(2**62), le=2**62)]
_Seconds = Annotated[float, Field(ge=0, le=1e12)]
_Text = Annotated[str, Field(max_length=4096)]


class WrongAnswer(Exception):
    """A driver's answer is not valid."""


class _Told(BaseModel):
    model_config = ConfigDict(strict=True)


class _Subtask(_Told):
    subtask: _Number
    records_in: _Number
    records_out: _Number
    busy_s: _Seconds


class _Operator(_Told):
    records_in: _Number
    records_out: _Number
    watermark: _Number | None
    keys: _Number | None
    state_bytes: _Number | None
    timers: _Number | None
    late: _Number
    subtasks: list[_Subtask]
    pending: dict[_Text, _Number]
    watermarks: dict[_Text, _Number | None]
    hot_key_groups: Annotated[list[list[_Number]], Field(max_length=1000)]
    hot_key: list[Any] | None


class _Exception(_Told):
    time_ms: _Number
    kind: _Text
    number: Annotated[int, Field(ge=0, le=2**31 - 1)]


class _Snapshot(_Told):
    job_id: _Text | None
    name: _Text | None
    status: _Text
    started_ms: _Number
    now_ms: _Number
    uptime_s: _Seconds
    checkpoint: _Text | None
    restarts: _Number
    epoch: _Number | None
    parallelism: _Number
    epochs: _Number
    records_in: _Number
    records_out: _Number
    run_s: _Seconds
    last_epochs: Annotated[list[dict[str, Any]], Field(max_length=200)]
    operators: Annotated[dict[_Text, _Operator], Field(max_length=2000)]
    exceptions: Annotated[list[_Exception], Field(max_length=200)]


class _Predecessor(_Told):
    id: _Number
    ship_strategy: _Text


class _Node(_Told):
    id: _Number
    uid: _Text
    name: str
    parallelism: _Number
    predecessors: list[_Predecessor]


class _Plan(_Told):
    batch: bool
    nodes: Annotated[list[_Node], Field(max_length=5000)]


_SNAPSHOT, _PLAN = TypeAdapter(_Snapshot), TypeAdapter(_Plan)


def read_object(text: bytes) -> dict[str, Any]:
    """An answer as a JSON object.

    Raises:
        WrongAnswer: It is none, or holds too many values.
    """
    line = text.decode("utf-8", "replace")
    if has_too_many_values(line):
        raise WrongAnswer(f"it holds more than {VALUES:,} values")
    try:
        # The browser's JSON has no NaN.
        found = json.loads(clean(line), parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise WrongAnswer("it is no JSON") from error
    if not isinstance(found, dict):
        raise WrongAnswer("it is no JSON object")
    return found


def checked_snapshot(found: dict[str, Any]) -> dict[str, Any]:
    """A snapshot that has what the gateway counts with.

    Raises:
        WrongAnswer: It has not.
    """
    return _checked(_SNAPSHOT, found)


def checked_plan(found: dict[str, Any]) -> dict[str, Any]:
    """A plan that has what the gateway draws.

    Raises:
        WrongAnswer: It has not.
    """
    return _checked(_PLAN, found)


def _checked(form: TypeAdapter[Any], found: dict[str, Any]) -> dict[str, Any]:
    try:
        form.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part)[:100] for part in first["loc"])
        raise WrongAnswer(f"{where}: {first['msg']}") from None
    return found
