"""Pictures of the dashboard for the docs; `scripts/screenshots` takes them."""
