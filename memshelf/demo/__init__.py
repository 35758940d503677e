"""The demo: one episode's whole way on a library of its own, over a real stdio MCP client."""

from memshelf.demo.story import play

__all__ = ["play"]
