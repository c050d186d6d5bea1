"""Prints the figures, and the classes of which something differs."""

import datastream.compat
from tests.names.comparison import compared, functions, row
from tests.names.figures import counts, share
from tests.names.reference import API, TABLES

datastream.compat.install()
for title, api in (("pyflink.common and pyflink.datastream", API), ("pyflink.table", TABLES)):
    found = counts(api)
    print(f"{'names of ' + title:48} {found['names']:5}   beside {found['later']} of later connectors")
    for what in ("there", "without effect", "refused", "absent"):
        print(f"  {what:45}  {found[what]:5}")
    print(f"  present                                        {share(found):5.1f} %")

rows = [row(module, cls) for module, cls in compared()]
print(f"\n{'attributes of classes':68} PyFlink  here   fit   fit of those without a reason")
for each in (each for each in rows if each.fit < each.attributes):
    print(f"{each.cls:68} {each.attributes:7} {each.here:5} {each.fit:5}   {each.share:5.1f} %")
    for path, why in each.reasons.items():
        print(f"    {path}: {why or 'NO REASON'}")
whole = sum(each.fit == each.attributes for each in rows)
print(f"{f'{len(rows)} classes, {whole} of them whole':68}", end=" ")
print(f"{sum(r.attributes for r in rows):7} {sum(r.here for r in rows):5} {sum(r.fit for r in rows):5}", end="   ")
print(f"{min(each.share for each in rows):5.1f} % at least")
print(f"{len(functions())} functions, {sum(not each.missed for each in functions())} of them fit")
