"""What functions get has no `__getattr__`, which would make each of its attributes slower."""

from __future__ import annotations

from datastream.missing_names import AdvisedNames, MissingNames
from datastream.runtime.hosts.keyed_process import Context
from datastream.runtime.keyed_state.values import ValueHandle


def test_states_timers_and_contexts_have_no_getattr():
    classes = [cls for cls in _below(AdvisedNames) if not issubclass(cls, MissingNames)]
    assert {Context, ValueHandle} <= set(classes)
    assert [cls for cls in classes if hasattr(cls, "__getattr__")] == []


def _below(cls: type) -> list[type]:
    return [found for sub in cls.__subclasses__() for found in (sub, *_below(sub))]
