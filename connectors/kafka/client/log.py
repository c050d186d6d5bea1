"""What librdkafka logs, as records of a Python logger."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from datastream.environments.secret_values import hide, secrets_of

#: The logger of the connector; what librdkafka itself says goes to its child ``librdkafka``.
LOGGER = logging.getLogger("datastream.connectors.kafka")

_LIBRARY = LOGGER.getChild("librdkafka")

#: Repeated for each attempt to reach a broker: whoever waits for the broker warns once in words of its own. And that
#: share groups are a preview, for each client: the documentation says so.
_REPEATED = ("FAIL", "ERROR", "REQTMOUT", "GETPID", "SHARECONSUMER")


class ClientLog:
    """Takes librdkafka's messages in place of a `logging.Logger`, and keeps secrets out of them.

    Args:
        properties: Of the client; their secret values are hidden.
    """

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self._secrets = secrets_of(properties)

    def log(self, level: int, form: str, *args: Any) -> None:
        """Pass a message on. Messages on single attempts to reach a broker become ones for debugging."""
        about = args[0] if args else ""
        # One dict of properties often serves consumers and producers: that a name is the other's is no news.
        if about in _REPEATED or (about == "CONFWARN" and "will be ignored by this" in str(args[-1])):
            level = logging.DEBUG
        if _LIBRARY.isEnabledFor(level):
            _LIBRARY.log(level, "%s", hide(form % args if args else form, self._secrets))
