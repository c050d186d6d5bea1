"""What runs in a worker: plain Python, no Spark. The order of its modules, lowest first:

key_groups  which subtask owns a key
blocks      what travels between stages
pages       keyed state, about 128 keys an entry
placing     partitioners: which subtask gets which record
chain_code  one generated function a fused chain
blame       errors that name operator, function, line and record
reduce      the running aggregate over keyed state
program     a job graph made ready to run
task        one subtask of one stage in one epoch
sinking     writers in the tasks, committers beside the driver
"""
