"""Secrets in settings, arguments, URLs, SQL and other texts, and how they stay out of what is shown.

`hide` is what every text passes that leaves: log lines, errors, answers of the services, what SHOW and EXPLAIN print.
It is here, below all other packages, since the programs that make environments on workers' machines use it, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

HIDDEN = "[hidden]"

#: Flink's list (password, secret, fs.azure.account.key, apikey, api-key, auth-params, service-key, token, basic-auth,
#: jaas.config, http-headers), and what Kafka, Spark, databases and cloud storages call their secrets. A password is
#: one under a misspelled name, too, such as passwrd.
_SECRET = re.compile(
    r"pass?w[a-z]{0,4}d|passphrase|(?:^|[^a-z])(?:pass|pwd|sas|sig)(?:$|[^a-z])|(?-i:[a-z](?:Pass|Pwd))(?:$|[^a-z])"
    r"|authori[sz]ation|encryption\.key|secret|jaas|token(?!\.endpoint)|credential|\.pem$|keystore\.key$"
    r"|certificates?(?:\.chain)?$|oauthbearer\.config|private|(?:access|account|api|service)[ ._-]?key"
    r"|cookie|auth[._-]?params|basic[._-]?auth|http[._-]?headers|signature",
    re.IGNORECASE,
)
#: Whether a text can hold a secret at all: most cannot, and are passed on as they are.
_HINT = re.compile(
    r"pas|pwd|sas|sig|authori[sz]ation|encryption|secret|jaas|token|credential|pem|key|certificate|oauthbearer|private"
    r"|auth|cookie|http[._-]?headers|://|bearer|dsg_",
    re.IGNORECASE,
)

_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)(?:-----END |\Z)", re.DOTALL)
_BEARER = re.compile(r"\b(?:Bearer|ApiKey) +([\w+/=.~:%-]{8,})|(\bdsg_[\w-]{43})", re.IGNORECASE)
_NO_SPACE = re.compile(r"\S+")
#: URLs whose part before @ is a container, not a user.
_CONTAINERS = re.compile(r"(?:abfs|wasb)s?$", re.IGNORECASE)

#: A value in quotes of one of three kinds, or up to the next space or parameter of a URL; what closes brackets and
#: quotes around it is none of it. A text that was cut may end within quotes.
_VALUE = re.compile(
    r"'(?P<single>(?:''|\\.|[^'\\])*+)(?:'|\Z)|\"(?P<double>(?:\"\"|\\.|[^\"\\])*+)(?:\"|\Z)"
    r"|(?P<mark>\\+[\"'])(?P<escaped>.*?)(?:(?<!\\)(?P=mark)|\Z)"
    r"|(?:(?:Bearer|Basic|Digest|Token|Negotiate|ApiKey|AWS4-HMAC-SHA256)[ ]+)?"
    r"(?P<bare>(?:[^\s&\"'),;}\]]|&(?![\w.-]+=)|[\"'),;}\]]++(?!\s|&[\w.-]+=|\Z))++)",
    re.IGNORECASE | re.DOTALL,
)
_BODIES = ("single", "double", "escaped", "bare")
#: ``-Dtrust.password=x``, ``--token=x``, ``'password' = 'x'``, ``"token": "x"``, ``password => x``.
_ASSIGNED = re.compile(
    r"(?<![\w.-])((?:(?:secret|private|access|account|api|service) ){0,2}[\w.-]++)"
    r"((?:\\*[\"'`])?[ \t]*+(?:=>|:?={1,3}|:(?!//))[ \t]*+)(?=\S)",
    re.IGNORECASE,
)
#: ``--password x`` in a command, and ``'--password', 'x'`` in a list.
_OPTION = re.compile(r"(?<![\w.-])(--?[A-Za-z][\w.-]*+)(\\*[\"'],?[ \t]*+|,?[ \t]++)(?=[^\s-])")
_PROSE = re.compile(r"[A-Za-z,] $")
_ONLY_TOKEN = re.compile(r"-*tokens?", re.IGNORECASE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\Z)')
_ARGUMENT = re.compile(r"(-{0,2}(?:[DP](?=\w))?[\w./-]+)=", re.DOTALL)


def is_secret(name: str) -> bool:
    """Whether the value of a setting may not be shown."""
    return _SECRET.search(name) is not None


def shown(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties without secrets: neither values of settings that are secret, nor parts of others."""
    return {name: shown_value(name, value) for name, value in properties.items()}


def shown_value(name: str, value: Any) -> Any:
    """A setting's value without secrets."""
    if is_secret(name):
        return HIDDEN
    return hide(value) if isinstance(value, str) else value


def hide(text: str, known: Iterable[str] = ()) -> str:
    """A text without secrets.

    Hidden are users and passwords of URLs, what is assigned to a secret's name (in SQL, JSON, YAML, properties, JAAS,
    headers, parameters of URLs, options of commands), bearer tokens and private keys.

    Args:
        text: To be shown.
        known: Secrets that are hidden wherever the text has them; see `secrets_of`.
    """
    text = _without(text, known)
    if _HINT.search(text) is None:
        return text
    return "".join(_around(text, _places(text)))


def hide_arguments(args: Sequence[str]) -> list[str]:
    """Arguments of a command without secrets, and without the values of options whose name says that they hold one."""
    return [HIDDEN if secret else hide_argument(arg) for arg, secret in _marked(args)]


def hide_argument(arg: str) -> str:
    """An argument without secrets; what follows ``--password=`` is one whatever it looks like."""
    found = _ARGUMENT.match(arg)
    return f"{found[0]}{HIDDEN}" if found is not None and _names_secret(found[1]) else hide(arg)


def hide_in(data: Any, known: Collection[str] = ()) -> Any:
    """Data of dicts, lists and plain values without secrets: in its texts, and of names that say they hold one."""
    if isinstance(data, str):
        return hide(data, known)
    if isinstance(data, Mapping):
        return {
            key: HIDDEN if isinstance(value, str) and value and is_secret(str(key)) else hide_in(value, known)
            for key, value in data.items()
        }
    if isinstance(data, (list, tuple)):
        return [hide_in(value, known) for value in data]
    return data


def secrets_of(properties: Mapping[str, Any], args: Sequence[str] = ()) -> frozenset[str]:
    """The secrets that settings and arguments hold: for `hide`."""
    found: set[str] = set()
    for name, value in properties.items():
        if isinstance(value, str):
            found.update(_secrets_in(value))
            if is_secret(name):
                found.add(value)
                found.update(_QUOTED.findall(value) if "jaas" in name else value.split(":", 1)[1:])
    for arg, secret in _marked(args):
        option = _ARGUMENT.match(arg)
        if secret:
            found.add(arg)
        elif option is not None and _names_secret(option[1]):
            found.add(arg[option.end() :])
        else:
            found.update(_secrets_in(arg))
    return frozenset(secret for secret in found if len(secret) > 2)


def _secrets_in(text: str) -> Iterator[str]:
    if _HINT.search(text) is not None:
        for start, end in _places(text):
            secret = text[start:end]
            yield from (secret, unquote(secret))
            for password in secret.split(":", 1)[1:]:  # after the user's name
                yield from (password, unquote(password))


def _marked(args: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each argument, and whether it is the value of the secret option before it."""
    follows = False
    for arg in args:
        yield arg, follows
        follows = arg.startswith("-") and "=" not in arg and is_secret(arg)


def _without(text: str, secrets: Iterable[str]) -> str:
    # The longest first: one secret may be a part of another.
    for secret in sorted(secrets, key=len, reverse=True):
        if secret not in text:
            continue
        if len(secret) < 8:  # as a word: each "test" of a log would tell the password
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", lambda _: HIDDEN, text)
        else:
            text = text.replace(secret, HIDDEN)
    return text


def _around(text: str, places: Iterable[tuple[int, int]]) -> Iterator[str]:
    done = 0
    for start, end in sorted(places):
        if end <= done:
            continue
        if start >= done:
            yield text[done:start]
            yield HIDDEN
        done = end
    yield text[done:]


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where a text has secrets; places may overlap."""
    for found in _PEM.finditer(text):
        yield found.span(1)
    for found in _BEARER.finditer(text):
        yield found.span(found.lastindex or 0)
    if "://" in text:
        for found in _NO_SPACE.finditer(text):
            if place := _user_of(found[0]):
                yield place[0] + found.start(), place[1] + found.start()
    for pattern in (_ASSIGNED, _OPTION):
        at = 0
        while (named := pattern.search(text, at)) is not None:
            at = named.end()
            if not (_names_secret(named[1]) or _is_key_in_url(text, named)) or _is_prose(text, named):
                continue  # what follows it may be another name
            value = _VALUE.match(text, at)
            if value is not None:
                start, end = next(value.span(body) for body in _BODIES if value[body] is not None)
                if not HIDDEN.startswith(value[0][start - value.start() :]):  # else it is hidden already
                    yield start, end
                # An option in the place of a value has a value, too; what else is in the value is hidden with it.
                at = _name_before(text, start, end) if text.startswith("-", start) else value.end()


def _name_before(text: str, start: int, end: int) -> int:
    """Where the name begins that ends at the end of a place, within it."""
    while end > start and (text[end - 1].isalnum() or text[end - 1] in "_.-"):
        end -= 1
    return end


def _user_of(word: str) -> tuple[int, int] | None:
    """Where a URL has user and password: up to the last @, since a password may hold one, or a slash."""
    scheme, sign, _ = word.partition("://")
    last = word.rfind("@")
    start = len(scheme) + len(sign)
    if not sign or last < start or _CONTAINERS.search(scheme):
        return None
    return start, last


def _names_secret(name: str) -> bool:
    return is_secret(name) or (name.startswith("-D") and is_secret(name[2:]))


def _is_key_in_url(text: str, match: re.Match[str]) -> bool:
    """Whether it is ``?key=x``, which elsewhere is the key of a record."""
    return match[1].lower().endswith("key") and text[max(0, match.start() - 1) : match.start()] in ("?", "&")


def _is_prose(text: str, match: re.Match[str]) -> bool:
    """Whether ``token: x`` is part of a sentence such as "unexpected token: x"."""
    spoken = match[2].startswith(":") and match[2].endswith(" ") and _ONLY_TOKEN.fullmatch(match[1]) is not None
    return spoken and _PROSE.search(text, max(0, match.start() - 2), match.start()) is not None
