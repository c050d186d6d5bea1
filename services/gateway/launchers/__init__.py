"""Where drivers run.

launcher    what a launcher is
processes   processes of this machine, from a pool that is ready for the next job
driver      such a process
docker      containers
kubernetes  pods
"""
