"""The endpoints of the runner, and what keeps them from the port."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping

from datastream.errors import DataStreamError, ValidationError
from datastream.http_pages import Guarded, Page, PageServer


class PortTaken(DataStreamError):
    """Another process listens on the port."""


class HttpServer(PageServer):
    """Serves the endpoints.

    Args:
        address: As `PageServer`.
        port: As `PageServer`.
        pages: As `PageServer`.
        guarded: As `PageServer`.

    Raises:
        PortTaken: Another process listens there.
        ValidationError: The address is none of this machine's, or this user may not listen on the port.
    """

    def __init__(
        self, address: str, port: int, pages: Mapping[str, Callable[[], Page]], guarded: Guarded | None = None
    ) -> None:
        where = f"{address}:{port}"
        try:
            super().__init__(address, port, pages, guarded)
        except (UnicodeError, OverflowError) as error:
            raise ValidationError(f"no endpoints at {where[:100]}: this is no address") from error
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortTaken(
                    f"the port {where} is taken by another process; end it, or choose another --port (DATASTREAM_PORT)"
                ) from error
            raise ValidationError(f"no endpoints at {where}: {error.strerror}; see --address and --port") from error
