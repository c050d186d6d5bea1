"""Jobs of every kind while things go wrong: is the output the same as without?

trial       what is tried: which kind of job, which faults, when
kinds       the kinds of jobs, each with its input and what its output should be
file_jobs   jobs from files to files
kafka_jobs  jobs from Kafka to Kafka; `messages` is their input, `checks` what is wrong with an output
victims     processes of a job, killed or stopped
disk        a disk for the checkpoint, that may be full
damage      files of a checkpoint, truncated or with a bit flipped
supervisor  runs a job as an operator of a cluster does: killed or failed, it is started again
series      many trials side by side; `table` is what came of them
command     scripts/chaos
jobs        the jobs
"""
