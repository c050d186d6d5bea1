"""The options of columnar files, by the keys of Hadoop's libraries."""

from __future__ import annotations

from collections.abc import Mapping

from datastream.config import Configuration
from datastream.errors import ValidationError, cut

#: The options that have an effect. A key that looks like one of them and is not is a typo.
KNOWN = {
    "parquet.": (
        "parquet.compression",
        "parquet.compression.codec.zstd.level",
        "parquet.block.size",
        "parquet.page.size",
        "parquet.enable.dictionary",
        "parquet.writer.version",
        "parquet.page.write-checksum.enabled",
    ),
    "orc.": (
        "orc.compress",
        "orc.compress.size",
        "orc.stripe.size",
        "orc.row.index.stride",
        "orc.dictionary.key.threshold",
    ),
}

Options = Configuration | Mapping[str, str] | None


def checked_options(given: Options, what: str) -> Configuration:
    """Options as a configuration; keys that are neither Parquet's nor ORC's are left for whom they concern.

    Args:
        given: A configuration, or a dict of str by str.
        what: The argument, for errors.

    Raises:
        ValidationError: it is something else, or has an unknown key of Parquet or ORC.
    """
    if given is None:
        return Configuration()
    if isinstance(given, Mapping):
        for key, value in given.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise ValidationError(f"{what}: expected keys and values of type str, got {cut(key)}: {cut(value)}")
        given = Configuration.from_dict(given)
    if not isinstance(given, Configuration):
        raise ValidationError(
            f"{what}: expected a Configuration or a dict of str, got {type(given).__name__} {cut(given)}"
        )
    for key in sorted(given.key_set()):
        for prefix, known in KNOWN.items():
            if key.startswith(prefix) and key not in known:
                raise ValidationError(f"{what}: unknown option {cut(key)}; the options are {', '.join(known)}")
    return given
