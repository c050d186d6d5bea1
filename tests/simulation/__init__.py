"""Simulation of whole jobs: one process plays Spark, its workers and the clock, and faults fall where a seed says.

faults      the points where the engine gives up control, and what goes wrong there
cluster     what Spark does for a job: logs of epochs, versions of state, tasks in workers that may be lost
disk        what a loss of power leaves of files
damage      files that are damaged, and put back when an error names them
log         the logs that Spark keeps in a checkpoint directory
ends        a source and a sink in memory
kinds       jobs, with what plain Python says that they give
trial       a seed: which job, which records, which faults; the smallest of them that still fails
"""
