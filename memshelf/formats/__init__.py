"""Text <-> values: the only owner of YAML and Markdown."""
