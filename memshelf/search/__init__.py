"""Search: episodes ranked by words, near-miss names."""
