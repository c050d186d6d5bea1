"""Whole degrees."""


def to_degrees(reading):
    return int(reading)


def parity(degrees):
    return degrees % 2


def warmer(a, b):
    return max(a, b)
