"""Sample shelves: small ones for the golden files, a big one for budgets."""

from __future__ import annotations

import random

from support import fine

from memshelf.model import Document, Entry, Episode, Shelf, State

LATIN = ["shelf", "draft", "router", "bridge", "token", "ledger", "digest", "session", "review", "branch"]
CYRILLIC = [
    "полка",
    "черновик",
    "маршрут",
    "токен",
    "журнал",
    "сессия",
    "правка",
    "ветка",
    "фильтр",
    "решение",
]


def entry(episode: Episode, state: State = State.ACCEPTED, shelf: str = "sample", **changes: object) -> Entry:
    folder = "archive/docs" if state is State.ARCHIVED else "docs"
    path = f"shelves/{shelf}/{folder}/topics/{episode.id}.md"
    return Entry(shelf, path, "0" * 12, state, episode)._replace(**changes)


def shelf_of(
    *entries: Entry, name: str = "sample", drafts: tuple[Entry, ...] = (), unreadable: tuple[str, ...] = ()
) -> Shelf:
    documents = tuple(
        Document(f"shelves/{name}/docs/topics/{file}", b"", fault="broken") for file in unreadable
    )
    return Shelf(name, tuple(entries), drafts, documents)


VLAN = fine(
    id="2026-06-02-vlan-migration",
    date="2026-06-02",
    title="VLANs for the home lab",
    digest="Flat LAN replaced by VLANs 10/20/30/40. Chosen: bridge VLAN filtering. Open: fixed DNS.",
    tags=("network", "homelab"),
    approx_tokens="41800",
    approx_tokens_source="measured",
    notes="from a\tlong session",
)
DNS = fine(
    id="2026-05-11-dns",
    date="2026-05-11",
    title="DNS resolver",
    digest="Chosen: one resolver for every VLAN.",
    open_threads="None.",
)
OLD_DNS = fine(
    id="2026-04-01-old-dns", date="2026-04-01", title="Old DNS resolver", digest="Chosen: two resolvers."
)
BACKUP = fine(
    id="2026-06-20-rezervnye-kopii",
    date="2026-06-20",
    title="Резервные копии",
    digest="Команда выбрала ночные копии на второй диск. Облако отклонено из-за цены.",
    open_threads="Нет.",
    tags=("бэкап",),
    summary="Ночные копии на второй диск, облако отклонено из-за цены",
)
NASTY = fine(
    id="2026-07-01-nasty",
    date="2026-07-01",
    title='Auth: [JWT](x.md) #1 "ok" <b>🎉</b>\n# heading',
    summary="`code` **bold** <!-- ](../secret.md) ![i](a.md) https://raw.example/x _a_ snake_case &lt; \\",
    pinned="true",
)

SAMPLES = {
    "english": shelf_of(
        entry(VLAN),
        entry(DNS._replace(supersedes=(OLD_DNS.id,), pinned="true")),
        entry(OLD_DNS, State.SUPERSEDED),
        entry(fine(id="2026-01-05-first", date="2026-01-05"), State.ARCHIVED),
        entry(fine(id="2026-01-09-second", date="2026-01-09"), State.ARCHIVED),
        entry(fine(id="2026-02-01-third", date="2026-02-01"), State.ARCHIVED),
    ),
    "russian": shelf_of(entry(BACKUP)),
    "nasty": shelf_of(entry(NASTY), unreadable=("2026-06-30-broken.md", "a b](c).md")),
    "empty": shelf_of(),
}


def crowd(count: int, seed: int = 1) -> Shelf:
    """Return a shelf of `count` episodes, 40 % Russian, summaries of 90 to 118 characters, half open."""
    chance = random.Random(seed)
    entries = []
    for number in range(count):
        words = CYRILLIC if number % 5 < 2 else LATIN
        month, day = divmod(number, 28)
        date = f"{2026 - month // 12}-{12 - month % 12:02}-{28 - day:02}"
        name = "-".join(chance.choices(LATIN, k=2))
        episode = fine(
            id=f"{date}-{name}",
            date=date,
            title=" ".join(chance.choices(words, k=3)).capitalize(),
            summary=_words(chance, words, chance.randint(90, 118)),
            open_threads="Key rotation has no owner." if number % 2 else "None.",
        )
        entries.append(entry(episode))
    return shelf_of(*entries)


def _words(chance: random.Random, words: list[str], length: int) -> str:
    text = ""
    while len(text) < length:
        text += " " + chance.choice(words)
    return text.strip()[: length - 1].rstrip() + "."
