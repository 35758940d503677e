"""Tests of the store: real repositories, real processes."""
