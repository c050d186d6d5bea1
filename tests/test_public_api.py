"""The public names resolve. That PyFlink's are among them: tests/names/test_names.py."""

from __future__ import annotations

import datastream


def test_every_public_name_resolves() -> None:
    for name in datastream.__all__:
        assert getattr(datastream, name) is not None
    assert len(datastream.__all__) == len(set(datastream.__all__))


def test_a_wrong_name_is_an_attribute_error() -> None:
    assert not hasattr(datastream, "NoSuchThing")
