"""Tables of connectors, written and read by SQL, beside loops over the bare client."""
