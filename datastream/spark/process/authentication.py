"""Whether a driver and its executors show each other a secret, before they take data and code from each other."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

from .kubernetes import MASTER

_SETTING = "spark.authenticate"


def defaults(master: str) -> dict[str, str]:
    """Settings for a master: Spark makes a secret for each job where it can give it to the executors by itself."""
    return {_SETTING: "true"} if master.startswith(MASTER) else {}


def warning(master: str, conf: Mapping[str, str]) -> str | None:
    """The warning for a job in which anyone on the network can take part; None: no one can, or it is allowed.

    Args:
        master: Not a local one.
        conf: The session's settings, with Spark's defaults for the driver's address.
    """
    bound = conf.get("spark.driver.bindAddress") or conf.get("spark.driver.host", "")
    if _SETTING in conf or _is_loopback(bound):
        return None
    secret = "" if master.startswith("yarn") else f", with the cluster's {_SETTING}.secret"
    return (
        f"Spark's ports at {bound} take whoever reaches them for a part of this job, who can then run code in it: set "
        f"{_SETTING}=true{secret} (see Authentication in docs/cluster.md). {_SETTING}=false says that others are kept "
        "from them"
    )


def _is_loopback(address: str) -> bool:
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False
