"""Everything that a request is answered with, as one import: what is heavy comes in through here alone."""

from memshelf.server.answers import Asked, call, warm
from memshelf.server.completion import complete
from memshelf.server.prompting import get_prompt
from memshelf.server.resources import check_uris, list_resources, look, read_resource

__all__ = [
    "Asked",
    "call",
    "check_uris",
    "complete",
    "get_prompt",
    "list_resources",
    "look",
    "read_resource",
    "warm",
]
