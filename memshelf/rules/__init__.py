"""What an episode and its file must be: small units with manual, bad and good example, in run order."""

import memshelf.rules.digest
import memshelf.rules.file
import memshelf.rules.keys
import memshelf.rules.secrets
import memshelf.rules.sections  # noqa: F401 # importing a file puts its rules on the list
from memshelf.rules.registry import RULES, Breach, Rule

__all__ = ["RULES", "Breach", "Rule"]
