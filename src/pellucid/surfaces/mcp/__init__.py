"""Rows of the operations table in, an MCP server out: tools, resources, prompts, over standard input or HTTP."""
