"""Another tool's file in, its memories out: one module a tool."""
