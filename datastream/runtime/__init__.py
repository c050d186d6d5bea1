"""What runs in a worker: plain Python, no Spark. The order of its modules, lowest first:

key_groups    which subtask owns a key
blocks        what travels between stages
pages         keyed state, about 128 keys an entry
partitioning  partitioners: which subtask gets which record
chain_code    one generated function a fused chain
user_errors   errors that name operator, function, line and record
hosts         what runs operators with state, timers, windows or several inputs
program       a job graph made ready to run
connector_cache  readers and writers that a worker process keeps over epochs
source_readers   readers in the tasks
sinking       writers in the tasks, committers beside the driver
task          one subtask of one stage in one epoch
enumerators   what decides what an epoch reads, beside the driver
"""
