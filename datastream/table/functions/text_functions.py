"""What functions of strings compute where Python has no expression for it."""

from __future__ import annotations

import base64
import binascii
import codecs
import math
import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus, unquote_plus, urlsplit

from datastream.errors import ValidationError
from datastream.table.functions.patterns import java_regex
from datastream.table.functions.text_forms import double_text, float_text


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
    """The part at an index, from 0; None beyond the ends, and of the empty text.

    As in Flink, the empty separator is any white space, and one that is a number is from 1 to 255.
    """
    if index < 0 or not text or (isinstance(separator, int) and not 1 <= separator <= 255):
        return None
    by = chr(separator) if isinstance(separator, int) else separator
    parts = text.split(by) if by else re.split(r"\s", text)
    return parts[index] if index < len(parts) else None


def _java_split(text: str, pattern: str, limit: int = 0) -> list[str]:
    """The parts between matches as Java has them: no empty one before a match of no length, nor at the end."""
    parts: list[str] = []
    begin = 0
    for found in java_regex(pattern).finditer(text):
        if len(parts) == limit - 1:
            break
        if found.end():
            parts.append(text[begin : found.start()])
            begin = found.end()
    parts.append(text[begin:])
    while not limit and parts and not parts[-1]:
        parts.pop()
    return parts


def str_to_map(text: str, entries: str = ",", pairs: str = "=") -> dict[str, str | None]:
    """The map of ``a=1,b=2``. The separators are regular expressions."""
    found: dict[str, str | None] = {}
    for part in _java_split(text, entries) if text else []:
        key, *value = _java_split(part, pairs, 2)
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
    """The place of a part in a text from a place on, from 1; 0: it is not there. The empty part is at the start."""
    return text.find(part, max(start - 1, 0)) + 1 if part else 1


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


def translated(text: str | None, source: str | None, target: str | None) -> str | None:
    """The text with letters replaced one by one; those without a counterpart are left out."""
    if text is None or source is None:
        return text
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
    """The text of Base64, which may lack the ``=`` at its end; None: it is none."""
    try:
        return base64.b64decode(text if "=" in text else text + "=" * (-len(text) % 4), validate=True).decode(
            "utf-8", "replace"
        )
    except (binascii.Error, ValueError):
        return None


def to_base64(text: str | bytes) -> str:
    """The bytes in Base64."""
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


#: The character sets that Java and Python read alike, by Python's names.
_CHARSETS = re.compile(
    r"ascii|utf-8|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[ru]|gbk|gb18030|big5|shift_jis|euc_(jp|kr)"
)


@lru_cache
def _codec(charset: str) -> str:
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        name = ""
    if not _CHARSETS.fullmatch(name):
        raise ValidationError(f"expected a character set such as 'UTF-8' or 'ISO-8859-1', got {charset!r}")
    return charset


def encoded(text: str, charset: str) -> bytes:
    """The bytes of a text in a character set."""
    if charset.upper() == "UTF-16":
        return b"\xfe\xff" + text.encode("utf-16-be")
    return text.encode(_codec(charset), "replace")


def decoded(data: bytes, charset: str) -> str:
    """The text of bytes in a character set."""
    big_endian = charset.upper() == "UTF-16" and data[:2] not in (b"\xfe\xff", b"\xff\xfe")
    return data.decode("utf-16-be" if big_endian else _codec(charset), "replace")


def url_encoded(text: str) -> str:
    """The text as Java's URLEncoder writes it."""
    return quote_plus(text, safe="*-._").replace("~", "%7E")


_ESCAPE = re.compile("%(?![0-9a-fA-F]{2})")


def url_decoded(text: str) -> str | None:
    """The text that was encoded for a URL; None: it was not."""
    return None if _ESCAPE.search(text) else unquote_plus(text, errors="replace")


#: Of the URLs that Java knows.
_PROTOCOLS = ("http", "https", "ftp", "file", "jar", "mailto")
_PORT = re.compile("(-1|[0-9]+)?", re.ASCII)

#: A name, or an IPv6 address in brackets; a port may follow.
_HOST = re.compile(r"\[[^]]*\]|[^:]*")


def url_part(url: str, part: str, key: str | None = None) -> str | None:
    """A part of a URL: HOST, PATH, QUERY (or the value of a key), REF, PROTOCOL, FILE, AUTHORITY, USERINFO."""
    url = url.strip()
    try:
        found = urlsplit(url)
    except ValueError:
        return None
    port = found.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
    if found.scheme not in _PROTOCOLS or not _PORT.fullmatch(port):
        return None
    before, hash_sign, _ = url.partition("#")
    mark = "?" in before
    if key is not None:
        if part != "QUERY":
            return None
        pairs = (each.partition("=") for each in found.query.split("&"))
        return next((value for name, sign, value in pairs if sign and name == key), None)
    user, at, address = found.netloc.rpartition("@")
    if "@" in user:  # to Java such a URL has neither a user nor a host
        at = address = ""
    parts = {
        "HOST": _HOST.match(address)[0],  # type: ignore[index]
        "PATH": found.path,
        "QUERY": found.query if mark else None,
        "REF": found.fragment if hash_sign else None,
        "PROTOCOL": found.scheme,
        "FILE": found.path + (f"?{found.query}" if mark else ""),
        "AUTHORITY": found.netloc,
        "USERINFO": user if at else None,
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


_SPEC = re.compile(r"%(\d+\$|<)?([-#+ 0,(]*)(\d*)(\.\d+)?([a-zA-Z%])")


def printf(form: str, sizes: tuple[int, ...], *values: Any) -> str | None:
    """The values in a form of Java's Formatter; None: they do not fit. `sizes`: the bits of numbers, else 0."""
    if "%" in _SPEC.sub("", form):
        return None
    rest = iter(range(len(values)))
    place = -1

    def shown(found: re.Match[str]) -> str:
        nonlocal place
        given, flags, width, precision, letter = found.groups()
        if letter == "n":
            return "\n"
        if letter == "%":
            return "%".rjust(int(width or 0))
        if given != "<":
            place = int(given[:-1]) - 1 if given else next(rest)
        if place < 0 or ("-" in flags and "0" in flags) or (not width and ("-" in flags or "0" in flags)):
            raise ValueError("flags without a meaning")
        text = _converted(values[place], sizes[place], letter.lower(), flags, int(width or 0), precision)
        text = text.ljust(int(width or 0)) if "-" in flags else text.rjust(int(width or 0))
        return text.upper() if letter.isupper() else text

    try:
        return _SPEC.sub(shown, form)
    except (StopIteration, IndexError, ValueError, TypeError, OverflowError):
        return None


def _converted(value: Any, size: int, letter: str, flags: str, width: int, precision: str | None) -> str:
    digits = None if precision is None else int(precision[1:])
    if letter not in "bscdxofeg":
        raise ValueError(f"%{letter} is not known")
    if digits is not None and letter in "cdxo":
        raise ValueError(f"%{letter} has no precision")
    if letter == "b":
        return ("false" if value is None or value is False else "true")[:digits]
    if value is None:
        return "null"[:digits]
    if letter == "s":
        return _plain(value, size)[:digits]
    if letter == "c":
        return chr(value)
    if letter in "dxo" and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(f"%{letter} takes a whole number")
    if letter in "feg" and not isinstance(value, (float, Decimal)):
        raise TypeError(f"%{letter} takes a DOUBLE or DECIMAL")
    if letter in "xo":
        text = ("0x" if letter == "x" else "0") * ("#" in flags) + format(value % (1 << size), letter)
        return text.zfill(width) if "0" in flags else text
    if isinstance(value, float) and not math.isfinite(value):
        number = "NaN" if value != value else "Infinity"
    else:
        number = _digits(abs(Decimal(str(value))), letter, 6 if digits is None else digits, "," * ("," in flags))
    negative = value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0 and value == value)
    before = ("(" if "(" in flags else "-") if negative else "+" if "+" in flags else " " if " " in flags else ""
    behind = ")" if before == "(" else ""
    zeros = width - len(before) - len(behind) if "0" in flags and number[-1].isdigit() else 0
    return before + number.zfill(zeros) + behind


def _plain(value: Any, size: int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return float_text(value) if size == 32 else double_text(value)
    return str(value)


def _digits(value: Decimal, letter: str, places: int, group: str) -> str:
    """A number that is not below zero as %d, %f, %e or %g shows it, rounded half up."""
    if letter == "d":
        return format(value, f"{group}f")
    with localcontext(prec=400, rounding=ROUND_HALF_UP):
        if letter == "g":
            places = max(places, 1)
            value = _rounded(value, places)
            fixed = not value or Decimal("0.0001") <= value < 10**places
            letter, places = ("f", places - 1 - value.adjusted() * bool(value)) if fixed else ("e", places - 1)
        if letter == "f":
            return format(value.quantize(Decimal(1).scaleb(-places)), f"{group}f")
        rounded = _rounded(value, places + 1)
        exponent = rounded.adjusted() if rounded else 0
        return f"{rounded.scaleb(-exponent):.{places}f}e{exponent:+03}"


def _rounded(value: Decimal, places: int) -> Decimal:
    """The number with so many digits."""
    return value.quantize(Decimal(1).scaleb(value.adjusted() - places + 1)) if value else value


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
