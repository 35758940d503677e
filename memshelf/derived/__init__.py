"""What is made of the episodes: the derived files of a shelf, and the map that reads answer with."""
