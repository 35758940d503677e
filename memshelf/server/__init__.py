"""The MCP server: the commands as tools, over stdio. The only package that knows the MCP SDK."""

from memshelf.server.app import make_server, serve

__all__ = ["make_server", "serve"]
