"""The digest contract: what the text that every session reads first must be."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from memshelf import markers
from memshelf.formats.markdown import scan
from memshelf.model import DIGEST, Level
from memshelf.rules.registry import Breach, rule
from memshelf.terms import terms as terms_of
from memshelf.text import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions, Episode

MAX_WORDS = 120
MAX_LINK = 200
MIN_SHARE = 0.1
"""Share of a digest's terms that its body must hold."""

ENOUGH_TERMS = 12
"""Below so many terms a share says nothing."""

READ = 20_000
"""Characters of a digest that are looked at; 120 words of 40 characters are a quarter of it."""

PLAIN_WORD = re.compile(r"(?<!\S)[a-zа-я]{4,}(?=[.,;:!?]?(?:\s|\Z))")
"""A word that is one term in any text: nothing joins it to its neighbours, no form of it is composed."""

FREE = r"(?<!\w)(?<!\w[-.:_])(?<![/@]){}(?!\w)(?![-._]\w)(?![/@])"
OPENING = r"(?:^(?:[-*+] )?|(?<=[.!?…:;]\s)|(?<=[.!?…][)\]]\s)|(?<=\n)|(?<=\n[-*+]\s))[(\[*_]*"


def _speaker(words: str, capitalised: str) -> re.Pattern[str]:
    """Match `words` anywhere, and `capitalised` where a sentence opens and no capital follows."""
    own = FREE.format(f"(?P<lower>{words})")
    opening = OPENING + FREE.format(f"(?P<upper>{capitalised})") + r"(?!\s+(?-i:[A-ZА-ЯЁ]))"
    return re.compile(f"{own}|{opening}")


WE = _speaker(
    "(?:we|us)(?:['’](?:re|ve|ll|d))?|ours?|ourselves|мы|нас|нами?|наш(?:а|е|и|его|ей|ему|им|ем|у|их|ими)?",
    "We(?:['’](?:re|ve|ll|d))?|Ours?|Us|Мы|Нас|Нами?|Наш(?:а|е|и|его|ей|ему|им|ем|у|их|ими)?",
)
RUSSIAN_ME = (
    "я|меня|мне|мной|мой|моя|моё|мое|мои|моего|моей|моему|моим|моём|моем|мою|моих|моими|давайте|давай"
)
ME = _speaker(
    "(?<![Pp]art )(?<![Tt]ype )(?<![Pp]hase )(?<![Ss]tage )I(?:['’](?:m|ve|ll|d)|(?= [a-z]))"
    f"|my|me|myself|let['’]s|{RUSSIAN_ME}",
    "My|Me|Let['’]s|" + "|".join(word.capitalize() for word in RUSSIAN_ME.split("|")),
)
VERB = "is|are|was|were|will|would|can|has|had|have|means|makes|gives|does"
PRONOUN = re.compile(
    OPENING
    + r"(?P<word>(?:It|They|He|She)(?:['’](?:s|re|ll|d))?(?![\w-])|(?:Он|Она|Оно|Они)(?!\w)"
    + rf"|(?:This|That|These|Those)(?=\s+(?:{VERB})\b)"
    + r"|Это(?=\s+(?:[—–-]|не|значит|означает|да[её]т|было|будет|позволяет|решает)(?!\w)))"
)


def _prose(episode: Episode) -> str:
    """Return the digest without code, HTML, quotations and link targets."""
    return _prose_of(episode.digest[:READ])


@lru_cache(maxsize=1)  # four rules in a row ask for the same digest's
def _prose_of(digest: str) -> str:
    text = unicodedata.normalize("NFC", digest)
    prose = re.sub(r"[ \t]+", " ", markers.unquoted(scan(text).prose))
    return prose.replace("\n ", "\n").strip()


_words = lru_cache(maxsize=1)(count_words)
"""Three rules in a row count the words of the same digest."""


def _said(pattern: re.Pattern[str], text: str) -> str:
    """Return the words of `text` that `pattern` finds, each once, ready for a message."""
    return ", ".join(
        dict.fromkeys(f'"{match["lower"] or match["upper"]}"' for match in pattern.finditer(text))
    )


@rule(Level.ERROR, bad={"digest": "—"}, good={"digest": "Chosen: signed tokens."})
def digest_missing(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """There is no digest.

    The digest is what the next session reads to decide whether to open the episode. Write in at most 120
    words what was decided, what was rejected and why, and what is still open.
    """
    if not _words(episode.digest):
        yield Breach("no digest: write what was decided, rejected and why, and left open", DIGEST)


@rule(
    Level.ERROR,
    bad={"digest": "Chosen: tokens." + " auth" * (MAX_WORDS - 1)},
    good={"digest": "Chosen: tokens." + " auth" * (MAX_WORDS - 2)},
)
def digest_too_long(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The digest is over 120 words.

    Every session reads the digest before any section, so each word is a standing cost. Keep what was
    decided, what was rejected and why, and what is open; move the rest into a section.
    """
    words = _words(episode.digest)
    if words > MAX_WORDS:
        yield Breach(f"{words} words, limit {MAX_WORDS}: cut {words - MAX_WORDS}", DIGEST)


@rule(
    Level.ERROR,
    bad={"digest": 'The auth service signs tokens with OpenAI, `open`, "rejected" and a server.'},
    good={"digest": "The auth service signs tokens. Open: key rotation."},
)
def digest_without_marker(episode: Episode, conventions: Conventions) -> Iterator[Breach]:
    """The digest does not say what was decided, rejected, found or left open.

    A summary of what was talked about does not help the next session; outcomes do. Use a word such as
    chosen, rejected, found, open (Russian: выбрано, отклонено, найдено, открыто) outside code and
    quotations. A shelf adds its own in memshelf.yml under `markers`.
    """
    if _words(episode.digest) and not markers.says_outcome(_prose(episode), conventions.markers):
        yield Breach("no word says an outcome: write what was chosen, rejected, found or left open", DIGEST)


@rule(
    Level.ERROR,
    bad={"digest": "For the auth service we chose signed tokens."},
    good={"digest": 'The auth team chose signed tokens in us-east-1; "we" stands in Our World in Data.'},
)
def digest_says_we(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The digest says we, our or us.

    Who "we" was is forgotten with the session. Name the actor: the team, the service, the person, the
    agent. Quotations, names such as "Our World in Data" and `us-east-1` pass.
    """
    said = _said(WE, _prose(episode))
    if said:
        yield Breach(f"says {said}: name the actor", DIGEST)


@rule(
    Level.WARNING,
    bad={"digest": "For the auth service I chose signed tokens."},
    good={"digest": "The agent chose signed tokens for the auth service in phase I of the work."},
)
def digest_says_i(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The digest says I, my or let's.

    Many sessions of many clients write to a shelf, so "I" names nobody. Name the actor, or say what
    happened without one.
    """
    said = _said(ME, _prose(episode))
    if said:
        yield Breach(f"says {said}: name the actor", DIGEST)


@rule(
    Level.WARNING,
    bad={"digest": "The auth service chose signed tokens. It rejected server sessions."},
    good={"digest": "The auth service chose signed tokens. This service rejected server sessions."},
)
def digest_opens_on_pronoun(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A sentence of the digest opens on a bare pronoun.

    The index shows one sentence of a digest alone; "It was rejected" says nothing there. Repeat the noun.
    """
    said = ", ".join(dict.fromkeys(f'"{match["word"]}"' for match in PRONOUN.finditer(_prose(episode))))
    if said:
        yield Breach(f"a sentence opens on {said}: repeat the noun", DIGEST)


@rule(
    Level.ERROR,
    bad={"digest": "The auth service signs tokens.\n\n# Open\n\nKey rotation."},
    good={"digest": "The auth service signs tokens.\n\n- Open: key rotation, see issue #4."},
)
def digest_has_structure(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The digest holds a heading, a code block, an HTML comment or a very long link.

    A heading would open a section of its own, a comment hides text from the person who approves it, and
    code and long links are the body's. Write plain sentences.
    """
    text = episode.digest[:READ]
    seen = scan(text)
    faults = (
        (seen.headings, "a heading: write it as a sentence"),
        (seen.fences, "a code block: move it into a section"),
        (seen.comments and "<!--" in text, "an HTML comment: say it openly or leave it out"),
        (
            any(len(link) > MAX_LINK for link in seen.links),
            f"a link over {MAX_LINK} characters: move it to Sources",
        ),
    )
    yield from (Breach(f"holds {message}", DIGEST) for found, message in faults if found)


@rule(
    Level.WARNING,
    bad={
        "digest": "Chosen: mirrored disks, weekly snapshots, offsite copies, encrypted archives, "
        "restore drills, checksum scrubbing, alert mails and battery backup."
    },
    good={"digest": "Chosen: signed tokens instead of server sessions. Open: key rotation has no owner."},
)
def digest_not_in_body(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """Hardly any word of the digest occurs in the rest of the episode.

    The digest sums up the body; when they share no words, one of them is about something else, or the
    body gives no ground for what the digest says. Put the ground under Decisions, or mend the digest.
    """
    terms = {term for term in terms_of(episode.digest[:READ]) if len(term) > 3}
    rest = (part.body for part in episode.sections if part.heading != DIGEST)
    body = "\n".join((episode.title, *rest))
    if len(terms) < ENOUGH_TERMS or _shares_words(episode.digest[:READ], body, terms):
        return
    share = len(terms & set(terms_of(body))) / len(terms)
    if share < MIN_SHARE:
        yield Breach(f"{share:.0%} of its words occur in the body: put the ground under Decisions", DIGEST)


def _shares_words(digest: str, body: str, terms: set[str]) -> bool:
    """Tell cheaply whether whole words alone make the share: the body then need not be stemmed."""
    shared = set(PLAIN_WORD.findall(digest)) & set(PLAIN_WORD.findall(body))
    enough = MIN_SHARE * len(terms)
    return len(shared) >= enough and len(terms & set(terms_of(" ".join(shared)))) >= enough
