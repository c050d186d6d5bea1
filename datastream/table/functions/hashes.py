"""Hashes of strings and bytes, as hexadecimal digits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from datastream.errors import ValidationError
from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import constant, rule
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import CharType, DataType, VarCharType

_LENGTHS = (224, 256, 384, 512)


def digest(value: str | bytes, algorithm: str) -> str:
    """The hash of a text in UTF-8, or of bytes."""
    return hashlib.new(algorithm, value.encode() if isinstance(value, str) else value).hexdigest()


def sha2_digest(value: str | bytes, length: int) -> str | None:
    """The SHA-2 hash of this number of bits; None: there is none."""
    return digest(value, f"sha{length}") if length in _LENGTHS else None


def _hash(name: str, sql: str, doc: str) -> Entry:
    python = f"digest({{0}}, {name!r})"
    result = CharType(2 * hashlib.new(name).digest_size)
    return Entry(name, (sql,), (1, 1), rule(sql, "text", result), python, names={"digest": digest}, doc=doc)


def _sha2_type(args: Sequence[Expression]) -> DataType:
    length = constant(args[1])
    if length is not None and length not in _LENGTHS:
        raise ValidationError(f"SHA2: expected a length of 224, 256, 384 or 512 bits, got {length!r}")
    return rule("SHA2", "text, whole", VarCharType(128), True if length is None else None)(args)


ENTRIES: tuple[Entry, ...] = (
    _hash("md5", "MD5", "The MD5 hash."),
    _hash("sha1", "SHA1", "The SHA-1 hash."),
    _hash("sha224", "SHA224", "The SHA-224 hash."),
    _hash("sha256", "SHA256", "The SHA-256 hash."),
    _hash("sha384", "SHA384", "The SHA-384 hash."),
    _hash("sha512", "SHA512", "The SHA-512 hash."),
    Entry(
        "sha2",
        ("SHA2",),
        (2, 2),
        _sha2_type,
        "sha2_digest({0}, {1})",
        nullable=True,
        names={"sha2_digest": sha2_digest},
        doc="The SHA-2 hash of 224, 256, 384 or 512 bits.",
    ),
)
