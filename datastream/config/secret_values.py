"""Which settings hold secrets, and how these stay out of every text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

HIDDEN = "[hidden]"

_SECRET = re.compile(
    r"password|passwd|passphrase|(^|[^a-z])(pass|pwd|sas|sig)($|[^a-z])|authori[sz]ation|encryption\.key"
    r"|secret|jaas|token(?!\.endpoint)|credential|\.pem$|keystore\.key$|certificates?(\.chain)?$"
    r"|oauthbearer\.config|basic\.auth\.user\.info|private|access[._-]?key|account[._-]?key|api[._-]?key",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
#: Up to the last @: a password may hold one, or a slash.
_USER_IN_URL = re.compile(r"(?<=://)[^\s'\"]+(?=@)")
#: ``-Dtrust.password=x``, ``--token=x``, ``secret=x`` inside a longer text.
_ASSIGNED = re.compile(r"([\w.-]+)([\"']?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|(?:Bearer |Basic )?[^\s,;&}]+)")


def is_secret(name: str) -> bool:
    """Whether the value of a setting may not be shown."""
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


def hide_inside(text: str) -> str:
    """A value of any setting, without users and passwords of URLs and without what is assigned to a secret name."""
    text = _USER_IN_URL.sub(HIDDEN, text)
    return _ASSIGNED.sub(lambda found: f"{found[1]}{found[2]}{HIDDEN}" if is_secret(found[1]) else found[0], text)


def hide_arguments(args: Sequence[str]) -> list[str]:
    """Arguments of a command without secrets: the values of options whose name says that they hold one."""
    found: list[str] = []
    secret_follows = False
    for arg in args:
        found.append(HIDDEN if secret_follows and not arg.startswith("--") else hide_inside(arg))
        secret_follows = arg.startswith("-") and "=" not in arg and is_secret(arg)
    return found
