"""Redaction: what must never be stored is replaced by a mark before anything is derived from it."""

from memshelf.redact.engine import redact
from memshelf.redact.marks import Marks, Redaction
from memshelf.redact.policy import Policy, parse_patterns

__all__ = ["Marks", "Policy", "Redaction", "parse_patterns", "redact"]
