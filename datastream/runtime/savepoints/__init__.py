"""Savepoints: a job's state at one epoch, in a folder that needs no Spark to be understood.

manifest        what is in the folder, and whether it is whole
entry_files     entries of state as Arrow files
matching        what of a savepoint a job takes over, and whether it can
reading         from the files to blocks for the subtasks that own the entries now
placing         from those blocks to the store of a subtask
evolution       stored values and the types that are declared now
"""
