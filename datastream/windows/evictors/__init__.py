"""The evictors that come with the project, one a module."""
