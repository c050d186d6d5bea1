"""From queries as written to relations: names, types, windows, joins by time."""
