"""Environments of Python: what a job brings for its workers, made on each machine once, and entered by them.

needs         what a job asked for
content       what files and folders hold, as a digest
store         folders that are made once a machine, kept by what they were made of
archives      archives, unpacked
interpreter   what an interpreter is
packages      packages of a requirements file, installed
environment   an environment: everything that a job needs, ready
enter         how a process gets into it
bundle        a job's needs as one file, for other machines
entering      the main program of that file
docker        the container that the workers of a job run in
fetch         files from other file systems

All but `fetch` and `docker` use the standard library only: on other machines they run before any package is there.
"""
