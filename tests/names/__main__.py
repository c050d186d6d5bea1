"""Prints the figures."""

import datastream.compat
from tests.names.figures import counts, share
from tests.names.reference import API, TABLES

datastream.compat.install()
for title, api in (("pyflink.common and pyflink.datastream", API), ("pyflink.table", TABLES)):
    found = counts(api)
    print(f"{'names of ' + title:48} {found['names']:5}   beside {found['later']} of later connectors")
    for what in ("there", "without effect", "refused", "absent"):
        print(f"  {what:45}  {found[what]:5}")
    print(f"  present                                        {share(found):5.1f} %")
    print(f"  methods whose parameters are compared          {found['signatures']:5}")
