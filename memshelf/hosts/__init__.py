"""The clients: what connects each to a library, the files of its package, and the words for its agent."""
