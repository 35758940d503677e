"""Verbs: one file, one public function, the same name in CLI, MCP and Python."""
