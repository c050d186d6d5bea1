"""Checkpoints that released versions have left, which every later version restores."""
