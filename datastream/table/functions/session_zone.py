"""The session's time zone, which stands between TIMESTAMP_LTZ and dates, times and text."""

from __future__ import annotations

from datastream.time.zones import instant_micros, local_micros, zone_of

__all__ = ["SESSION_ZONE", "instant_micros", "local_micros", "zone_of"]

#: The name by which the text of functions and casts calls the zone. Entries bind it to UTC; whoever generates code
#: for a session with another zone binds it to `zone_of` of its name.
SESSION_ZONE = "session_zone"
