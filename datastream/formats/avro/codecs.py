"""How the blocks of Avro files are compressed."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Any, Final

from datastream.errors import ValidationError, cut
from datastream.formats.avro.malformed import Malformed

#: Bytes that a block may have when it is not compressed: a few bytes of a bad file may claim any number.
MOST_BYTES: Final = 1 << 30


def _inflate(data: bytes, least: Any) -> bytes:
    """With one of the standard library's decompressors, but not without bound."""
    found: bytes = least.decompress(data, MOST_BYTES)
    if not least.eof:
        raise Malformed(f"a block is cut short, or has more than {MOST_BYTES} bytes")
    return found


def _deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def _snappy(data: bytes) -> bytes:
    import pyarrow

    packed: bytes = pyarrow.compress(data, codec="snappy", asbytes=True)
    return packed + zlib.crc32(data).to_bytes(4, "big")


def _unsnappy(data: bytes) -> bytes:
    import pyarrow

    size = shift = 0
    for byte in data[:5]:
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if size > MOST_BYTES or size > 64 * len(data):  # Snappy packs to a twentieth at best
        raise Malformed(f"a Snappy block claims {size} bytes")
    found: bytes = pyarrow.decompress(data[:-4], size, codec="snappy", asbytes=True)
    if zlib.crc32(found).to_bytes(4, "big") != data[-4:]:
        raise Malformed("a block's checksum is wrong")
    return found


def _zstandard(data: bytes) -> bytes:
    import pyarrow

    packed: bytes = pyarrow.compress(data, codec="zstd", asbytes=True)
    return packed


def _unzstandard(data: bytes) -> bytes:
    import pyarrow

    with pyarrow.input_stream(pyarrow.py_buffer(data), compression="zstd") as stream:
        found: bytes = stream.read(MOST_BYTES)
        if stream.read(1):
            raise Malformed(f"a block has more than {MOST_BYTES} bytes")
    return found


#: Name -> (pack, unpack).
CODECS: Final[dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]]] = {
    "null": (bytes, bytes),
    "deflate": (_deflate, lambda data: _inflate(data, zlib.decompressobj(-15))),
    "bzip2": (bz2.compress, lambda data: _inflate(data, bz2.BZ2Decompressor())),
    "xz": (lzma.compress, lambda data: _inflate(data, lzma.LZMADecompressor())),
    "snappy": (_snappy, _unsnappy),
    "zstandard": (_zstandard, _unzstandard),
}


def check_codec(name: str) -> str:
    """The name of a codec.

    Raises:
        ValidationError: there is none of this name.
    """
    if name not in CODECS:
        raise ValidationError(f"an Avro codec is one of {', '.join(CODECS)}; got {cut(name)}")
    return name
