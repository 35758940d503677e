"""What a host's hooks hear from the library; the adapter behind `memshelf hook`."""
