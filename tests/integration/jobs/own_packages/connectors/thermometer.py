"""Stands for a system that the job talks to."""

from datastream import MapFunction


class Thermometer(MapFunction):
    def map(self, value):
        return value / 2
