"""How the blocks of Avro files are compressed."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Any, Final

from datastream.errors import ValidationError, cut
from datastream.formats.avro.malformed import Malformed

#: Bytes that any block may have when it is not compressed.
_MOST_BYTES: Final = 64 << 20
#: Bytes that a larger one may have for each compressed byte.
_MOST_RATIO: Final = 100
#: Bytes of memory for the tables of xz; its strongest preset takes a quarter of that.
_XZ_MEMORY: Final = 256 << 20


def most_bytes(packed: int) -> int:
    """Bytes that a block of this number of compressed bytes may become: a few bytes of a bad file may claim any number.

    64 MiB or 100 times the compressed bytes, whichever is more, and at most 1 GiB.
    """
    return min(max(_MOST_BYTES, _MOST_RATIO * packed), 1 << 30)


def _inflate(data: bytes, decompressor: Any) -> bytes:
    """With one of the standard library's decompressors, but not without bound."""
    most = most_bytes(len(data))
    found: bytes = decompressor.decompress(data, most)
    if not decompressor.eof:
        raise Malformed(f"a block is cut short, or {len(data)} bytes of it become more than {most}")
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
    if size > most_bytes(len(data)) or size > 64 * len(data):  # Snappy packs to a twentieth at best
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
        found: bytes = stream.read(most_bytes(len(data)))
        if stream.read(1):
            raise Malformed(f"{len(data)} bytes of a block become more than {most_bytes(len(data))}")
    return found


#: Name -> (pack, unpack).
CODECS: Final[dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]]] = {
    "null": (bytes, bytes),
    "deflate": (_deflate, lambda data: _inflate(data, zlib.decompressobj(-15))),
    "bzip2": (bz2.compress, lambda data: _inflate(data, bz2.BZ2Decompressor())),
    "xz": (lzma.compress, lambda data: _inflate(data, lzma.LZMADecompressor(memlimit=_XZ_MEMORY))),
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
