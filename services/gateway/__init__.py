"""The service that keeps artifacts, runs jobs from them, and shows how they are.

command      `datastream-gateway`: its commands
settings     what can be set
app          the HTTP service: routes, errors, the dashboard's files
routes       its paths, after Flink's REST API
models       what requests and answers hold
security     who may do what
limits       how large and how often requests may be
database     the tables
tokens       bearer tokens
artifacts    uploaded scripts and archives
packed       whether an uploaded file is what it says, and harmless
archive_headers  the same, before the library that unpacks has a look
plans        plans of artifacts, in processes of their own
jobs         jobs, as the database keeps them
supervisor   follows the drivers of jobs, and starts them again
driver_client   the HTTP client of a driver
figures      rates, lags and bottlenecks from what drivers count
launchers    where drivers run
dashboard    the pages for browsers
"""
