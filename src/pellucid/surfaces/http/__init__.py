"""Requests over HTTP in, the answers of operations out: routes, fields and OpenAPI are those of the table."""
