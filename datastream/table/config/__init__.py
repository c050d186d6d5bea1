"""The settings of an environment."""
