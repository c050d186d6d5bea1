"""The form of the entries in a job's state: kinds of records, their versions, and how each is read.

See docs/contributing/architecture.md, "State format".
"""

from .entries import decode, decode_page, encode
from .records import FIRST_FORMAT, FORMAT, Record

__all__ = ["FIRST_FORMAT", "FORMAT", "Record", "decode", "decode_page", "encode"]
