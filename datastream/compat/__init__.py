"""Lets scripts written for PyFlink import `pyflink` where PyFlink is not installed.

`install` imports nothing but this package; the aliases look their names up when they are asked for.
"""

from datastream.compat.aliases import install, installed, uninstall

__all__ = ["install", "installed", "uninstall"]
