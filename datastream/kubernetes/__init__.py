"""Drivers in pods, for the gateway and for ``datastream run --master k8s://...``.

cluster     the API of a cluster: pods, secrets, logs
spark_settings  a driver's pod from Spark's settings
driver_pod  the pod of a driver, and what a template adds to it
pod_state   what became of a pod
log_lines   the lines of a container's log
"""
