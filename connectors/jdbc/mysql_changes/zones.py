"""The time zone in which a server tells its TIMESTAMPs."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from datastream.errors import ValidationError, cut

_OFFSET = re.compile(r"([+-])(\d{1,2}):(\d\d)")


def zone_of(name: str) -> tzinfo:
    """A zone by its name, such as ``Europe/Berlin``, ``UTC`` or ``+02:00``.

    Raises:
        ValidationError: There is no such zone.
    """
    offset = _OFFSET.fullmatch(name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):  # there is no such name
        raise ValidationError(
            f"there is no time zone {cut(name)}; a zone is a name such as Europe/Berlin, UTC, or an offset such as "
            "+02:00"
        ) from None
