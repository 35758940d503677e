"""MemShelf: an agent's memory as a Git repository of Markdown episodes."""

__version__ = "0.1.0"
