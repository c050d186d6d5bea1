"""Kafka to Kafka while processes are killed at random: is every record counted once, and in order?

trial      what is tried: how many messages, which job, who is killed when
messages   the input, the same for the same seed; reading topics
victims    how each of them is killed
supervisor     runs the job as an operator of a cluster does: killed or failed, it is started again
checks     whether the output is exactly what it should be
verdict    what came of it, for people
command    scripts/chaos
jobs       the job
"""
