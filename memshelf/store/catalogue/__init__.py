"""The catalogue: what the library holds, parsed once and kept in SQLite, outside Git.

`database` is the file and its tables, `tables` puts an episode into them, `fill` follows Git, `view` is
what a command asks, `consult` joins them. It is a cache: deleted, broken, of another version or not
writable, it is made anew, and no answer changes.
"""

from memshelf.store.catalogue.consult import consult
from memshelf.store.catalogue.view import Catalogue

__all__ = ["Catalogue", "consult"]
