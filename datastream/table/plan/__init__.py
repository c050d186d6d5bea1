"""Plans as data: expressions and relations."""
