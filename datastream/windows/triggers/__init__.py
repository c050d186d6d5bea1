"""The triggers that come with the project, one a module."""
