"""The process of a script: runs it and the jobs that it starts, shows their progress, and reports what went wrong.

The command and the services stand on it.
"""
