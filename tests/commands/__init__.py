"""Tests of the verbs, each on a real library."""
