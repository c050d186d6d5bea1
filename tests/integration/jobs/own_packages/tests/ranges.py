"""A folder without ``__init__.py`` is a package too."""


def plausible(reading):
    return reading < 40.5
