"""Redaction: what must never be stored is replaced by a mark before anything is derived from it."""

from memshelf.redact.engine import redact
from memshelf.redact.marks import Marks, Redaction
from memshelf.redact.patterns import checked_patterns, parse_patterns
from memshelf.redact.policy import Policy, policy_of

__all__ = ["Marks", "Policy", "Redaction", "checked_patterns", "parse_patterns", "policy_of", "redact"]
