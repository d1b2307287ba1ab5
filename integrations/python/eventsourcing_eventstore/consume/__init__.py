"""Consumers of the plain client: processes that share the events of a query. consume.md has examples."""
