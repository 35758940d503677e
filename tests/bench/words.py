"""The vocabulary of synthetic episodes: English and Russian sentences about computers and houses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """One language's words and sentences.

    `{thing}`, `{other}` and `{tool}` stand for nouns, `{reason}` and `{open}` for clauses, `{who}` for a
    team, `{n}` and `{m}` for numbers, `{name}` for an identifier.
    """

    things: tuple[str, ...]
    tools: tuple[str, ...]
    teams: tuple[str, ...]
    reasons: tuple[str, ...]
    threads: tuple[str, ...]
    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    digests: tuple[str, ...]
    sentences: tuple[str, ...]


def _split(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


TOOLS = _split(
    "restic, borg, rsync, WireGuard, OpenVPN, nginx, Caddy, HAProxy, PostgreSQL, SQLite, Redis, Kafka, "
    "RabbitMQ, "
    "Prometheus, Grafana, Loki, Ansible, Terraform, Kubernetes, Nomad, Docker, Podman, systemd, ZFS, "
    "Btrfs, ext4, "
    "Zigbee, Z-Wave, Matter, MQTT, Home Assistant, Pi-hole, Unbound, Keycloak, Vault, Jenkins, GitLab, "
    "Debian, "
    "Alpine, Python, Rust, Go, TypeScript, React, Svelte, FastAPI, Django, gRPC, GraphQL, OpenAPI"
)
NAMES = _split(
    "eth0.20, /etc/fstab, core-switch-2, `retry_limit`, v2.14.1, `SELECT … FOR UPDATE`, api/v3/orders, "
    "node-07, "
    "`--max-depth`, pg_stat_activity, us-east-1, PR 1482, ticket-3391, `Cache-Control`, 10.20.0.0/16, "
    "build 5512"
)
ENGLISH = Language(
    things=_split(
        "router, backup job, access point, login service, order queue, search index, photo archive, "
        "billing report, "
        "mail relay, heat pump, print server, build pipeline, payment gateway, session store, metrics "
        "dashboard, "
        "address book, firewall, guest network, media library, license server, feature flag, rate limiter, "
        "scheduler, "
        "configuration loader, import script, invoice template, error page, nightly export, audit log, "
        "staging cluster, "
        "sensor bridge, solar inverter, water meter, door lock, thermostat, calendar sync, password vault, "
        "test suite, "
        "translation file, deployment window"
    ),
    tools=TOOLS,
    teams=_split(
        "the platform team, the lab, the on-call engineer, the web team, the owner, the finance desk"
    ),
    reasons=(
        "it keeps no versions",
        "the restart took too long",
        "nobody could read the old format",
        "it doubles the memory a worker needs",
        "the vendor ends support next spring",
        "one slow client blocked all the others",
        "two sites must agree before anything is deleted",
        "the certificate would have to be renewed by hand",
    ),
    threads=(
        "nobody has tested a restore of the {thing}",
        "the {thing} still logs to the old disk",
        "who pays for the second {thing}",
        "whether {tool} survives a power cut",
        "the limit of {n} connections is a guess",
    ),
    titles=(
        "{tool} for the {thing}",
        "The {thing} after the move to {tool}",
        "Why the {thing} failed on Monday",
        "A new home for the {thing}",
        "{thing} and {other}: who owns what",
    ),
    descriptions=(
        "{tool} replaces {tool2} under the {thing}, because {reason}; the {other} waits for {name}",
        "the {thing} moved to {tool} after {n} hours of measuring; {tool2} was dropped since {reason}",
        "found why the {thing} lost {n} requests a day: {name} and the {other} shared one limit in {tool}",
    ),
    digests=(
        "The {thing} runs on {tool} now. Chosen: {tool} with {name}, measured at {n} ms against {m} ms. "
        "Rejected: "
        "{tool2}, {reason}. Open: {open}.",
        "For the {thing}, {who} decided on {tool} and against {tool2}: {reason}. The {other} keeps its own "
        "copy "
        "until {name} is retired. Open: {open}.",
        "The cause of the failed {thing} was found: {name} gave the {other} a limit of {n}, and {reason}. "
        "{who} "
        "replaced it by {tool}. Rejected: a bigger {other}. Open: {open}.",
    ),
    sentences=(
        "{who} measured the {thing} for {n} days and saw {m} errors, all of them from {name}.",
        "The {thing} reads {name} at start and never again, which is why {tool} had to be restarted.",
        "{tool} was tried first; it needed {n} MB of memory and answered the {other} in {m} ms.",
        "Before the change the {other} waited for the {thing}; after it, both write to {tool} on their own.",
        "{tool2} stays for the {other}, as {reason}.",
        "A trial with {n} clients passed; with {m} the {thing} dropped every tenth call.",
        "The old setting `{key}: {n}` is kept as a comment beside the new one, `{key}: {m}`.",
        "- {name}: moved to {tool}, checked by {who}.",
        "- the {other}: unchanged, since {reason}.",
        "If {tool} fails, the {thing} falls back to {name} and tells {who}.",
        "The manual of {tool} says {n} is safe; on this hardware {m} was the most that held for an hour.",
    ),
)
RUSSIAN = Language(
    things=_split(
        "маршрутизатор, резервный сервер, почтовый шлюз, поисковый индекс, архив фотографий, отчёт по "
        "счетам, "
        "тепловой насос, принтер, конвейер сборки, платёжный модуль, журнал аудита, межсетевой экран, "
        "кластер, "
        "планировщик задач, загрузчик настроек, шаблон договора, ночной экспорт, датчик протечки, счётчик "
        "воды, "
        "замок двери, термостат, календарь, набор тестов, файл перевода, балансировщик, кэш сессий, личный "
        "кабинет, "
        "склад деталей, график дежурств, лимит запросов, справочник адресов, видеоархив, инвертор, стенд, "
        "реестр "
        "пакетов, терминал оплаты, бот поддержки, портал документов"
    ),
    tools=TOOLS,
    teams=_split("команда платформы, лаборатория, дежурный инженер, отдел закупок, владелец, бухгалтерия"),
    reasons=(
        "он не хранит версий",
        "перезапуск занимал слишком много времени",
        "старый формат никто не мог прочитать",
        "памяти на каждый процесс нужно вдвое больше",
        "поддержка закончится весной",
        "один медленный клиент задерживал всех остальных",
        "удаление должны подтвердить обе площадки",
        "сертификат пришлось бы продлевать вручную",
    ),
    threads=(
        "восстановление никто не проверял, это касается и узла «{thing}»",
        "«{thing}» всё ещё пишет журнал на старый диск",
        "кто оплатит второй {thing}",
        "переживёт ли {tool} отключение питания",
        "предел в {n} соединений взят наугад",
    ),
    titles=(
        "{tool} для узла «{thing}»",
        "{thing}: переход на {tool}",
        "Почему {thing} отказал в понедельник",
        "Новое место: {thing}",
        "{thing} и {other}: кто за что отвечает",
    ),
    descriptions=(
        "{tool} вместо {tool2} под узлом «{thing}», потому что {reason}; {other} ждёт {name}",
        "{thing} переведён на {tool} после {n} часов измерений; от {tool2} отказались: {reason}",
        "найдено, почему {thing} терял {n} запросов в день: {name} и {other} делили один предел в {tool}",
    ),
    digests=(
        "{thing} теперь работает на {tool}. Выбрано: {tool} и {name}, измерено {n} мс против {m} мс. "
        "Отклонено: "
        "{tool2}, {reason}. Открыто: {open}.",
        "Для узла «{thing}» {who} решила взять {tool}, а не {tool2}: {reason}. У узла «{other}» остаётся "
        "своя копия, "
        "пока жив {name}. Открыто: {open}.",
        "Найдена причина отказа узла «{thing}»: {name} давал пределом {n}, и {reason}. Вместо него выбран "
        "{tool}. "
        "Отклонено: увеличить «{other}». Открыто: {open}.",
    ),
    sentences=(
        "Измерения узла «{thing}» шли {n} дней, ошибок было {m}, и все они пришли от {name}.",
        "{thing} читает {name} один раз при запуске, поэтому {tool} пришлось перезапустить.",
        "Сначала попробовали {tool}: понадобилось {n} МБ памяти, {other} получал ответ за {m} мс.",
        "До перехода {other} ждал, пока ответит {thing}; теперь оба сами пишут в {tool}.",
        "{tool2} остаётся там, где работает {other}, так как {reason}.",
        "Проба на {n} клиентах прошла, а на {m} {thing} терял каждый десятый вызов.",
        "Прежняя настройка `{key}: {n}` оставлена в примечании рядом с новой, `{key}: {m}`.",
        "- {name}: перенесено на {tool}, проверила {who}.",
        "- {other}: без изменений, так как {reason}.",
        "Если {tool} откажет, {thing} вернётся к {name} и сообщит об этом дежурному.",
        "В руководстве {tool} безопасным названо число {n}; на этом железе час держалось только {m}.",
    ),
)
