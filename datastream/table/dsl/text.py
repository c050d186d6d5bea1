"""Methods of `Expression` on texts and bytes."""

from __future__ import annotations

from typing import Any, Self

from datastream.table.dsl.base import BaseExpression, node_of, symbol
from datastream.table.plan import expressions as plan


class TextMethods(BaseExpression):
    """Texts, bytes and their digests."""

    __slots__ = ()

    def concat(self, other: Any) -> Self:
        """This and another text after it."""
        return self._call("$concat", other)

    def starts_with(self, start_expr: Any) -> Self:
        """Whether it starts with another one."""
        return self._call("STARTSWITH", start_expr)

    def ends_with(self, end_expr: Any) -> Self:
        """Whether it ends with another one."""
        return self._call("ENDSWITH", end_expr)

    def substring(self, begin_index: Any, length: Any = None) -> Self:
        """The part from a place on, counted from 1, of a length or to the end."""
        return self._call("substring", begin_index) if length is None else self._call("substring", begin_index, length)

    def substr(self, begin_index: Any, length: Any = None) -> Self:
        """The same as `substring`."""
        return self._call("substr", begin_index) if length is None else self._call("substr", begin_index, length)

    def trim_leading(self, character: Any = None) -> Self:
        """Without spaces, or these characters, in front."""
        return self._trim("LEADING", character)

    def trim_trailing(self, character: Any = None) -> Self:
        """Without spaces, or these characters, at the end."""
        return self._trim("TRAILING", character)

    def trim(self, character: Any = None) -> Self:
        """Without spaces, or these characters, at both ends."""
        return self._trim("BOTH", character)

    def _trim(self, where: str, character: Any) -> Self:
        cut = node_of(" " if character is None else character)
        return self._with(plan.Call("trim", (symbol(where), cut, self.node)), character)

    def replace(self, search: Any = None, replacement: Any = None) -> Self:
        """With a text in the place of each occurrence of another."""
        return self._call("replace", search, replacement)

    def translate(self, from_str: Any, to_str: Any) -> Self:
        """With characters in the place of others, one for one."""
        return self._call("TRANSLATE", from_str, to_str)

    def like(self, pattern: Any = None, escape: Any = None) -> Self:
        """Whether it matches a pattern of LIKE."""
        return self._call("LIKE", pattern) if escape is None else self._call("LIKE", pattern, escape)

    def similar(self, pattern: Any = None) -> Self:
        """Whether it matches a pattern of SIMILAR TO."""
        return self._call("similar", pattern)

    def position(self, haystack: Any = None) -> Self:
        """Where it first stands in another text, from 1; 0: nowhere."""
        return self._call("position", haystack)

    def lpad(self, length: Any, pad: Any) -> Self:
        """Filled up in front to a length, or cut."""
        return self._call("lpad", length, pad)

    def rpad(self, length: Any, pad: Any) -> Self:
        """Filled up at the end to a length, or cut."""
        return self._call("rpad", length, pad)

    def overlay(self, new_string: Any, starting: Any, length: Any = None) -> Self:
        """With a text in the place of the part from a place on, counted from 1."""
        return (
            self._call("overlay", new_string, starting)
            if length is None
            else self._call("overlay", new_string, starting, length)
        )

    def regexp(self, regex: Any) -> Self:
        """Whether a part matches a regular expression of Java."""
        return self._call("regexp", regex)

    def regexp_count(self, regex: Any) -> Self:
        """How often a regular expression matches."""
        return self._call("REGEXP_COUNT", regex)

    def regexp_replace(self, regex: Any, replacement: Any) -> Self:
        """With a text in the place of each match."""
        return self._call("regexpReplace", regex, replacement)

    def regexp_extract(self, regex: Any, extract_index: Any = None) -> Self:
        """A group of the first match; the whole match by default."""
        return (
            self._call("regexpExtract", regex)
            if extract_index is None
            else self._call("regexpExtract", regex, extract_index)
        )

    def regexp_extract_all(self, regex: Any, extract_index: Any = None) -> Self:
        """A group of all matches; the first group by default."""
        return (
            self._call("REGEXP_EXTRACT_ALL", regex)
            if extract_index is None
            else self._call("REGEXP_EXTRACT_ALL", regex, extract_index)
        )

    def regexp_instr(self, regex: Any) -> Self:
        """Where a regular expression first matches, from 1."""
        return self._call("REGEXP_INSTR", regex)

    def regexp_substr(self, regex: Any) -> Self:
        """The first match; NULL: there is none."""
        return self._call("REGEXP_SUBSTR", regex)

    def decode(self, charset: Any) -> Self:
        """Bytes as a text."""
        return self._call("decode", charset)

    def encode(self, charset: Any) -> Self:
        """A text as bytes."""
        return self._call("encode", charset)

    def left(self, length: Any) -> Self:
        """The first characters."""
        return self._call("left", length)

    def right(self, length: Any) -> Self:
        """The last characters."""
        return self._call("right", length)

    def instr(self, s: Any) -> Self:
        """Where another text first stands in it, from 1; 0: nowhere."""
        return self._call("instr", s)

    def locate(self, s: Any, pos: Any = None) -> Self:
        """Where it first stands in another text, from a place on; 0: nowhere."""
        return self._call("locate", s) if pos is None else self._call("locate", s, pos)

    def url_decode(self) -> Self:
        """Decoded from the form of URLs."""
        return self._call("URL_DECODE")

    def url_encode(self) -> Self:
        """Encoded in the form of URLs."""
        return self._call("URL_ENCODE")

    def inet_aton(self) -> Self:
        """An IPv4 address as a number."""
        return self._call("INET_ATON")

    def inet_ntoa(self) -> Self:
        """A number as an IPv4 address."""
        return self._call("INET_NTOA")

    def parse_url(self, part_to_extract: Any, key: Any = None) -> Self:
        """A part of a URL, such as HOST; of QUERY also the value of a key."""
        return self._call("parseUrl", part_to_extract) if key is None else self._call("parseUrl", part_to_extract, key)

    def printf(self, *obj: Any) -> Self:
        """Formatted by this format of printf."""
        return self._call("PRINTF", *obj)

    def ltrim(self, trim_str: Any = None) -> Self:
        """Without spaces, or these characters, in front."""
        return self._call("ltrim") if trim_str is None else self._call("ltrim", trim_str)

    def rtrim(self, trim_str: Any = None) -> Self:
        """Without spaces, or these characters, at the end."""
        return self._call("rtrim") if trim_str is None else self._call("rtrim", trim_str)

    def btrim(self, trim_str: Any = None) -> Self:
        """Without spaces, or these characters, at both ends."""
        return self._call("BTRIM") if trim_str is None else self._call("BTRIM", trim_str)

    def repeat(self, n: Any) -> Self:
        """The text repeated this number of times."""
        return self._call("repeat", n)

    def split_index(self, separator: Any, index: Any) -> Self:
        """A part between separators, counted from 0."""
        return self._call("splitIndex", separator, index)

    def str_to_map(self, list_delimiter: Any = None, key_value_delimiter: Any = None) -> Self:
        """A map of ``k1=v1,k2=v2``, with other delimiters if given."""
        if list_delimiter is None and key_value_delimiter is None:
            return self._call("STR_TO_MAP")
        pair, value = list_delimiter, key_value_delimiter
        return self._call("STR_TO_MAP", "," if pair is None else pair, "=" if value is None else value)

    def elt(self, expr: Any, *exprs: Any) -> Self:
        """Of the arguments the one with this number, from 1."""
        return self._call("ELT", expr, *exprs)

    def split(self, delimiter: Any) -> Self:
        """The parts between delimiters, as an array."""
        return self._call("SPLIT", delimiter)

    @property
    def char_length(self) -> Self:
        """How many characters it has."""
        return self._call("charLength")

    @property
    def upper_case(self) -> Self:
        """In upper case."""
        return self._call("upper")

    @property
    def lower_case(self) -> Self:
        """In lower case."""
        return self._call("lower")

    @property
    def init_cap(self) -> Self:
        """Each word with a capital."""
        return self._call("initCap")

    @property
    def from_base64(self) -> Self:
        """Decoded from base64."""
        return self._call("fromBase64")

    @property
    def to_base64(self) -> Self:
        """Encoded in base64."""
        return self._call("toBase64")

    @property
    def ascii(self) -> Self:
        """The code of the first character."""
        return self._call("ascii")

    @property
    def chr(self) -> Self:
        """The character of a code."""
        return self._call("chr")

    @property
    def reverse(self) -> Self:
        """From the end to the start."""
        return self._call("reverse")

    @property
    def md5(self) -> Self:
        """The MD5 digest, as hexadecimal digits."""
        return self._call("md5")

    @property
    def sha1(self) -> Self:
        """The SHA1 digest, as hexadecimal digits."""
        return self._call("sha1")

    @property
    def sha224(self) -> Self:
        """The SHA224 digest, as hexadecimal digits."""
        return self._call("sha224")

    @property
    def sha256(self) -> Self:
        """The SHA256 digest, as hexadecimal digits."""
        return self._call("sha256")

    @property
    def sha384(self) -> Self:
        """The SHA384 digest, as hexadecimal digits."""
        return self._call("sha384")

    @property
    def sha512(self) -> Self:
        """The SHA512 digest, as hexadecimal digits."""
        return self._call("sha512")

    def sha2(self, hash_length: Any) -> Self:
        """The SHA-2 digest of 224, 256, 384 or 512 bits, as hexadecimal digits."""
        return self._call("sha2", hash_length)
