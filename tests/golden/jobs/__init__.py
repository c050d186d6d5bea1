"""Jobs that together keep every kind of state. What they give does not depend on where epochs are cut.

A checkpoint names their operators, classes and fields: those stay as they are. A new kind of state is a new job.
"""
