"""What functions of strings compute where Python has no expression for it."""

from __future__ import annotations

import base64
import binascii
import re
from decimal import Decimal
from typing import Any
from urllib.parse import quote_plus, unquote_plus, urlsplit

from datastream.errors import ValidationError
from datastream.table.functions.patterns import java_regex


def substring(text: str | bytes, start: int, length: int | None = None) -> Any:
    """The part from a place on, from 1; below zero from the end."""
    if length is not None and length < 0:
        return None
    size = len(text)
    begin = start - 1 if start > 0 else size + start if start < 0 else 0
    if begin < 0:
        return text[:0]
    return text[begin : size if length is None else begin + length]


def padded(text: str, length: int, pad: str, left: bool) -> str | None:
    """The text brought to a length."""
    if length < 0 or (not pad and length > len(text)):
        return None
    if length <= len(text):
        return text[:length]
    more = (pad * (length - len(text)))[: length - len(text)]
    return more + text if left else text + more


_WORD = re.compile("[0-9a-zA-Z]+")


def capitalised(text: str) -> str:
    """The first letter of each word in upper case, the others in lower case; of the letters a to z, as in Flink."""
    return _WORD.sub(lambda found: found[0].capitalize(), text)


def split_index(text: str, separator: str | int, index: int) -> str | None:
    """The part at an index, from 0; None beyond the ends, and of the empty text."""
    by = chr(separator) if isinstance(separator, int) else separator
    if index < 0 or not by or not text:
        return None
    parts = text.split(by)
    return parts[index] if index < len(parts) else None


def str_to_map(text: str, entries: str = ",", pairs: str = "=") -> dict[str, str | None]:
    """The map of ``a=1,b=2``. The separators are regular expressions."""
    found: dict[str, str | None] = {}
    parts = java_regex(entries).split(text) if text else []
    while parts and not parts[-1]:
        parts.pop()
    for part in parts:
        key, *value = java_regex(pairs).split(part, 1)
        found[key] = value[0] if value else None
    return found


def concat_ws(separator: str | None, *parts: str | None) -> str | None:
    """The parts with a separator between them, without those that are None."""
    return None if separator is None else separator.join(part for part in parts if part is not None)


def overlay(text: str, new: str, start: int, length: int | None = None) -> str:
    """The text with a part of it replaced; as in Flink, a part without a length takes all that is behind it along."""
    if start <= 0 or start > len(text):
        return text
    cut = len(new) if length is None else length
    return text[: start - 1] + new + (text[start - 1 + cut :] if cut > 0 else "")


def located(part: str, text: str, start: int = 1) -> int:
    """The place of a part in a text from a place on, from 1; 0: it is not there."""
    return text.find(part, start - 1) + 1 if start > 0 else 0


def instr(text: str, part: str, start: int = 1, nth: int = 1) -> int:
    """The place of the nth time a part is in a text, from 1; 0: it is not there so often.

    Below zero, `start` is a place from the end, from which the search goes back.
    """
    if not part:
        return 1
    if start < 0:
        end = len(text) + start + 1
        for _ in range(nth):
            place = text.rfind(part, 0, max(end, 0))
            if place < 0:
                return 0
            end = place + len(part) - 1
        return place + 1
    if start == 0:
        return 0
    place = start - 2
    for _ in range(nth):
        place = text.find(part, place + 1)
        if place < 0:
            return 0
    return place + 1


def translated(text: str, source: str, target: str | None) -> str:
    """The text with letters replaced one by one; those without a counterpart are left out."""
    table: dict[int, str | None] = {}
    for place, letter in enumerate(source):
        table.setdefault(ord(letter), target[place] if target and place < len(target) else None)
    return text.translate(table)


def replaced(text: str, search: str, new: str) -> str:
    """The text with a part replaced wherever it is."""
    return text.replace(search, new)


def regexp_replace(text: str, pattern: str, new: str) -> str:
    """The text with all matches replaced. As in Flink, ``$1`` is no group."""
    return java_regex(pattern).sub(lambda _: new, text)


def regexp_extract(text: str, pattern: str, group: int = 0) -> str | None:
    """A group of the first match, 0 for all of it; None: there is none."""
    found = java_regex(pattern).search(text)
    if found is None or not 0 <= group <= (found.re.groups):
        return None
    return found[group]


def regexp_extract_all(text: str, pattern: str, group: int = 1) -> tuple[str | None, ...] | None:
    """A group of all matches."""
    regex = java_regex(pattern)
    if not 0 <= group <= regex.groups:
        return None
    return tuple(found[group] for found in regex.finditer(text))


def regexp_count(text: str, pattern: str) -> int:
    """How many matches there are."""
    return sum(1 for _ in java_regex(pattern).finditer(text))


def regexp_instr(text: str, pattern: str) -> int:
    """The place of the first match, from 1; 0: there is none."""
    found = java_regex(pattern).search(text)
    return found.start() + 1 if found else 0


def regexp_substr(text: str, pattern: str) -> str | None:
    """The first match."""
    found = java_regex(pattern).search(text)
    return found[0] if found else None


def regexp_found(text: str, pattern: str) -> bool:
    """Whether the text has a match."""
    return bool(pattern) and java_regex(pattern).search(text) is not None


def first_code(text: str) -> int:
    """The code of the first byte in UTF-8 as Java has it; 0 for the empty text."""
    return (text.encode()[0] + 128) % 256 - 128 if text else 0


def character(code: int) -> str:
    """The character of a code, modulo 256."""
    return "" if code < 0 else chr(code & 0xFF)


def from_base64(text: str) -> str | None:
    """The text of Base64; None: it is none."""
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


def to_base64(text: str | bytes) -> str:
    """The bytes in Base64."""
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def _codec(charset: str) -> str:
    if charset.upper() not in ("US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16"):
        raise ValidationError(f"expected a character set such as 'UTF-8' or 'ISO-8859-1', got {charset!r}")
    return charset


def encoded(text: str, charset: str) -> bytes:
    """The bytes of a text in a character set."""
    if charset.upper() == "UTF-16":
        return b"\xfe\xff" + text.encode("utf-16-be")
    return text.encode(_codec(charset), "replace")


def decoded(data: bytes, charset: str) -> str:
    """The text of bytes in a character set."""
    return data.decode(_codec(charset), "replace")


def url_encoded(text: str) -> str:
    """The text as Java's URLEncoder writes it."""
    return quote_plus(text, safe="*-._").replace("~", "%7E")


_ESCAPE = re.compile("%(?![0-9a-fA-F]{2})")


def url_decoded(text: str) -> str | None:
    """The text that was encoded for a URL; None: it was not."""
    return None if _ESCAPE.search(text) else unquote_plus(text, errors="replace")


#: A name, or an IPv6 address in brackets; a port may follow.
_HOST = re.compile(r"\[[^]]*\]|[^:]*")


def url_part(url: str, part: str, key: str | None = None) -> str | None:
    """A part of a URL: HOST, PATH, QUERY (or the value of a key), REF, PROTOCOL, FILE, AUTHORITY, USERINFO."""
    try:
        found = urlsplit(url)
    except ValueError:
        return None
    if not found.scheme:
        return None
    if key is not None:
        if part != "QUERY":
            return None
        pairs = (each.partition("=") for each in found.query.split("&"))
        return next((value for name, sign, value in pairs if sign and name == key), None)
    user = found.netloc.rpartition("@")[0]
    parts = {
        "HOST": _HOST.match(found.netloc.rpartition("@")[2])[0],  # type: ignore[index]
        "PATH": found.path,
        "QUERY": found.query or None,
        "REF": found.fragment or None,
        "PROTOCOL": found.scheme,
        "FILE": found.path + (f"?{found.query}" if found.query else ""),
        "AUTHORITY": found.netloc,
        "USERINFO": user or None,
    }
    return parts.get(part)


def address_number(text: str) -> int | None:
    """The number of an IPv4 address such as ``127.0.0.1``; None: it is none."""
    parts = text.split(".")
    if not 1 <= len(parts) <= 4 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    *heads, last = map(int, parts)
    if any(head > 255 for head in heads) or last >= 256 ** (4 - len(heads)):
        return None
    return sum(head << 8 * (3 - place) for place, head in enumerate(heads)) + last


def number_address(number: int) -> str | None:
    """The IPv4 address of a number; None: there is none."""
    if not 0 <= number < 2**32:
        return None
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


_SPEC = re.compile(r"%(\d+\$)?([-#+ 0,(]*)(\d*)(\.\d+)?([a-zA-Z%])")


def printf(form: str, *values: Any) -> str | None:
    """The values in a form of Java's Formatter; None: they do not fit."""
    rest = iter(values)

    def shown(found: re.Match[str]) -> str:
        place, flags, width, precision, letter = found.groups()
        if letter == "n":
            return "\n"
        if letter == "%":
            return "%".rjust(int(width or 0))
        value = values[int(place[:-1]) - 1] if place else next(rest)
        text = _converted(value, letter, flags, width, precision or "")
        return text.upper() if letter.isupper() else text

    try:
        return _SPEC.sub(shown, form)
    except (StopIteration, IndexError, ValueError, TypeError, RuntimeError):
        return None


def _converted(value: Any, letter: str, flags: str, width: str, precision: str) -> str:
    if letter in "bBsScChH" or value is None:
        text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        text = chr(value) if letter in "cC" and isinstance(value, int) else text
        text = text[: int(precision[1:])] if precision else text
        return text.ljust(int(width or 0)) if "-" in flags else text.rjust(int(width or 0))
    if letter == "d" and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError("%d takes a whole number")
    if letter in "feEgG" and isinstance(value, int):
        raise TypeError(f"%{letter} takes a DOUBLE or DECIMAL")
    sign = next((flag for flag in "+ " if flag in flags), "")
    align = "<" if "-" in flags else "=" if "0" in flags else ">"
    fill = "0" if align == "=" else ""
    group = "," if "," in flags else ""
    default = "" if letter in "dxXo" else precision or ".6"
    number = Decimal(value) if isinstance(value, Decimal) else value
    return format(number, f"{fill}{align}{sign}{width}{group}{default}{letter.lower()}")


def split(text: str, separator: str) -> tuple[str, ...]:
    """The parts between separators, none of the empty text; with the empty separator the characters."""
    return tuple(text.split(separator)) if separator and text else tuple(text)


def chosen(index: int | None, *values: Any) -> Any:
    """The value at an index, from 1; None beyond the ends."""
    return values[index - 1] if index is not None and 1 <= index <= len(values) else None


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
