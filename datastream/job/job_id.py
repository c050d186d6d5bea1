"""The id of a job."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field

from datastream.errors import ValidationError, cut


@dataclass(frozen=True, order=True)
class JobID:
    """128 random bits, printed as 32 hexadecimal digits.

    Args:
        hex: The digits of a known id; a new id when left out.

    Raises:
        ValidationError: `hex` is not 32 lower-case hexadecimal digits.
    """

    hex: str = field(default_factory=lambda: secrets.token_hex(16))

    def __post_init__(self) -> None:
        if not isinstance(self.hex, str) or not re.fullmatch("[0-9a-f]{32}", self.hex):
            raise ValidationError(f"A job id is 32 lower-case hexadecimal digits: got {cut(self.hex)}.")

    def __str__(self) -> str:
        return self.hex
