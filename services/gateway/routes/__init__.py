"""The paths of the HTTP service.

artifacts  uploads, plans and runs (FLIP-38); also under Flink's old name, jars
jobs       jobs: how they are, and what is to be done with them
overview   the gateway itself
"""
