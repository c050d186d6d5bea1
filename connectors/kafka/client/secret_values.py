"""Which client properties hold secrets, and how these stay out of every text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "[hidden]"

_SECRET = re.compile(
    r"password|passwd|secret|jaas|token(?!\.endpoint)|credential|\.pem$|keystore\.key$|certificates?(\.chain)?$"
    r"|oauthbearer\.config|basic\.auth\.user\.info|private",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def is_secret(name: str) -> bool:
    """Whether the value of a client property may not be shown."""
    return _SECRET.search(name) is not None


def shown(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties with secrets blanked out."""
    return {name: HIDDEN if is_secret(name) else value for name, value in properties.items()}


def hide(text: str, properties: Mapping[str, Any]) -> str:
    """`text` without the values of secret properties, nor the quoted parts of a JAAS configuration."""
    hidden: set[str] = set()
    for name, value in properties.items():
        if is_secret(name) and isinstance(value, str):
            hidden.add(value)
            if "jaas" in name:
                hidden.update(_QUOTED.findall(value))
    # The longest first: one secret may be a part of another.
    for value in sorted(hidden, key=len, reverse=True):
        if len(value) > 2:
            text = text.replace(value, HIDDEN)
    return text
