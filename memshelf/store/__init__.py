"""Disk, Git and the clock: the only package that touches them."""
