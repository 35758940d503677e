"""What values look like: stand-ins, words, paths, technical names, passwords, and what tells of a value."""

from __future__ import annotations

from memshelf.redact.regex import compiled

STAND_INS = (
    *("changeme", "change-me", "change_me", "placeholder", "redacted", "example", "...", "…"),
    *("xxxxxx", "****", "0123456789abcdef", "1234567890abcdef", "abcdef0123456789", "deadbeefdeadbeef"),
    *("abc123def456", "1a2b3c4d5e6f"),
)
"""What no secret has anywhere in it, in small letters."""

_ITS_OWN_NAME = (
    r"(?=(?:base64)?[a-z_ -]{3,80}\d{0,4}$)"
    r"(?:(?:(?:a|an|my|the|your|some|this|new|old|long|super|base64|encoded|cloud|api|app|bot|user|client|service|account"
    r"|project|personal|private|secret|public|access|auth|bearer|refresh|session|jwt|hmac|ssh|admin|root|github|gitlab"
    r"|goes|json|web|existing)[-_ ]?){0,6}(?:token|key|credential)s?\d{0,4}(?:[-_ ]?(?:goes[-_ ]?)?here)?"
    r"|[a-z]{1,20}(?:[-_!][a-z]{1,20}){0,4}[-_](?:(?:token|key)\d?|password|passwd|pass|pwd|secret|here|value)"
    r"|(?:my[a-z]{0,10}|auth|user|db|root|admin|the|some)password|password-for-.*"
    r"|not[-_ ](?:an?|my)[-_ ]real[-_ ].*)"
)
"""`personal-access-token`, `yourSecretKeyGoesHere`, `db-password`: it says what it stands for."""

_NO_TEXT = r"undefined|nil|boolean|number|object|never|void|u?int\d{0,3}(?:array|_t)?|float\d\d"
PLACEHOLDER = (
    r"(?i)(?:your\w*[-_ ].*|(?:insert|enter|put|ваш|встав|замен|укаж)\w*[-_ ]\D*\d?|\W*"
    r"|my\w*[-_ ]\w*(?:secret|pass|token|key|api|value|app|user|project|db|database|account|org|company"
    r"|release|service)\D*\d?"
    r"|\[[\w ]*\]?|\*[A-Za-z_-]+\d?|pass(?:word|wd)?|pwd"
    r"|secret|token|string|test|dummy|fake|foo|bar|foobar(?:baz|ed)?|sample|demo|mock|todo|tbd|unset"
    r"|none|null|true|false|required|optional|(?-i:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]+%)"
    r"|\$?\{.*\}|\$\{[\w.:-]*|\$\(\w+\)|[#.][\w-]*(?:pass\w*|tokens?|secrets?|keys?|pwd)|<.*>|[x*•.\-_0]+)$"
    rf"|(?:{_ITS_OWN_NAME}|{_NO_TEXT})$"
    r"|arn:|urn:|(?:op|vault|ssm|sops|awssm|gcpsm|bws|keyring|doppler|infisical|secretsmanager|(?:azure)?keyvault)://|vault:[\w./#-]+$|\$[a-z]+(?:\.[\w-]+)+$|(?-i:[A-Z_]+_HERE$)"
)
WORD = r"[A-ZА-ЯЁ]{0,16}[a-zа-яё]{0,30}(?:[A-ZА-ЯЁ][a-zа-яё]{1,30}){0,6}"
PATH = r"(?:~|\.{0,2}|[A-Za-z]:)(?:[/\\][\w.@-]{1,24}){2,}"
TECHNICAL = (
    r"(?i)v?\d[\d.,:/x-]*(?-i:[A-Z]?[a-zа-яё%]{0,12}|[A-Z]{2,4})|\d+-[a-zа-яё]+|[a-zа-яё]+(?:[-_./][a-zа-яё]*\d?)*|[a-zа-яё]+\d?(?:[-_./][a-zа-яё]+\d?)*"
    r"|(?:sha|md|utf|aes|rsa|base|iso|hs|rs|es|ed|x|rfc|cve|pr|ver|python|py|node|http|win|argon|bcrypt|cp|gpt|ipv|tls"
    r"|ssl|u?int|float|step|line|part|build|release|issue|ticket|h)[-_ ]?v?[\d.-]+[a-z]{0,4}(?:-[a-z]{3,12})?"
    r"|[\w./-]+\.(?:py|js|ts|md|ya?ml|json|toml|txt|html?|css|go|rs|sh|env|conf|cfg|ini|sql|java|kt|rb|php|png|jpg|7z|zip|tar|t?gz|rar|pem|crt|kdbx|log|bak|dump|csv|xml|pdf)"
    r"|\w+(?:::\w+)+|[A-Za-z_.]+\d*\(.*|(?-i:[A-Z]{2,8}-\d+)|[\w.-]+=[\w.#-]+|[a-z_.-]+=|[\w.-]+@[\w.-]+\.\w+"
)
NUMBERED_WORDS = (
    r"(?:[^\W\d_]{3,20}\.){2,4}\d{2,6}|[A-ZА-ЯЁ][^\W\d_]{2,20}(?:[-_][^\W\d_]{3,20}){1,3}[-_]\d{2,6}"
)
# A shape comes first and the names that it must not hold after it: few values have the shape.
MADE_UP = (
    r"(?=(?:[^\W\d_]{4,20}[-._]){0,3}[^\W\d_]{4,24}[-._]?\d{2,6}(?:[-._]?[^\W\d_]{4,20}){0,2}\Z)"
    r"(?!.*(?i:pass|pwd|secret|token|key|user|login|auth|sha-?\d|md5|aes|utf|rsa|\d{4}-\d\d|test|example|default|change|sample|dummy|version|release"
    r"|build|chapter|python|postgres|ubuntu|node)).*"
)
"""Words with a number: what people make up as a password, and no technical name."""
CHAINED = (
    r"(?=(?:(?:[A-Z][a-z]{2,15}){3,5}\d{1,4}|(?:[А-ЯЁ][а-яё]{2,15}){2,5}\d{1,4}"
    r"|[A-ZА-ЯЁ][^\W\d_]{3,15}@(?:19|20)\d\d[!?*.#]?|[xX]{1,2}_[^\W\d_]{3,15}_\d{0,4}[xX]{1,2}"
    r"|[^\W\d_]{4,15}\.[a-z]{0,2}\d{1,3}\.[A-ZА-ЯЁ][^\W\d_]{3,15}|\d{2,4}[^\W\d_]{4,15}\d{2,4}"
    r"|(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,5}"
    r"|[^\W\d_]{3,12}(?: [^\W\d_]{3,12}){2,5} \d{2,4}"
    r")\Z)"
    r"(?!(?i:.*(?:pass|pwd|secret|token|key|user|login|auth|test|example|default|change|sample|dummy|version|release"
    r"|config|settings|string|value|input|field|error|handler|service|module|index|build|data|request|response))).*"
)
"""Words and a number, written together or around it, or groups of capitals: passwords, not identifiers."""
DOTTED = (
    r"(?=[^\W\d_A-ZА-ЯЁ]{4,16}(?:\.[^\W\d_A-ZА-ЯЁ]{4,16}){2,4}\Z)"
    r"(?!.*(?:pass|pwd|secret|token|key|user|login|auth|test|example|config|setting|option|param|prop|value|string|input"
    r"|field|form|data|request|response|state|event|target|current|default|model|session|client|server|service|context"
    r"|local|global|process|system|spring|type|schema|required|validat|common|label|error|message|text|title|button\.|page|view"
    r"|database|redis|postgres|mongo|crypt|random|choice|faker|object|account|profile|connection|internal|index|module)).*"
)
"""Three small words with dots between them, none of them of a program."""
SCRAMBLED = r"(?=.{0,24}\d)(?!.*[a-z]{4})(?!.*[A-Z]{6})(?=(?:[A-Z]*[a-z]+[A-Z]+){2})[A-Za-z0-9]{10,24}"
"""Letters of both cases in no order, with a digit somewhere."""

JUMBLED = r"(?=.*[A-Z]{3}|.*[A-Z][a-z][A-Z])[A-Za-z]{9,24}\d"
RELATIVE_PATH = r"(?:[\w.@-]+/){1,12}[\w.@-]+\.[A-Za-z]\w{0,4}"
CMDLET = r"[A-Z][a-z]+(?:[A-Z][a-z]+)*-(?:[A-Z][a-z]+)+"
SIGN_INSIDE = r"(?<=\w)[!#$%^*~]{1,3}\w|[a-z][A-Z]{1,3}\w*[!#$%^*~]\Z"
TOLD = (
    r"(?i)(?:[:=—–-]|(?<!\w)(?:is|was|to|now|by|with|from|one"
    r"|это|был|на|стал|теперь|он|новый))\s{1,2}[\"'`«„“*]{0,3}\Z"
)
BESIDE = (
    r"(?i)(?:п[ао]роль(?: на архив)?|пасс?(?:ворд)?|password|passphrase|pass|pwd)\s{1,2}[(\"'`«„“]{0,2}\Z"
)
NUMBERED = r"(?!(?:sha|md|utf|aes|rsa|python|bcrypt)\d)[a-zа-яё]{4,20}\d{3,6}"
NAMED_BEFORE = (
    r"(?i)(?<!\w)(?:user|login|account|host|server|for|of|to|on|at|in|from|от|для|к|на|в|у|из|с|до"
    r"|пользовател[яюь]|логин[ау]?|уч[её]тки|(?:стенд|сервер|хост|машин|узл|баз|контур)[аеуы]?|host|server|box|instance|node)\s{1,2}\Z"
)
NAME_WITH_NUMBER = r"[a-z]+(?:[-_][a-z]+)*[-_]?\d{1,4}"
YEAR_BEHIND = r".*(?:19[5-9]|20[0-3])\d"
RESOURCE = r"[a-z]+(?:-[a-z]+){1,4}-(?:\d|(?:19|20)\d\d)"
HASH_NAME = r"(?i)(?:scram-)?(?:sha|md|utf|argon|bcrypt|pbkdf|base)-?\d[\w-]{0,6}"
ALGORITHM = (
    r"(?i)(?:scram-)?(?:sha|md|utf|aes|rsa|argon|bcrypt|pbkdf|base|hs|rs|es|oauth|tls|ssl|ipv|http|python)"
    r"-?\d{1,4}(?:[-_./ ,;:+].*|[a-z]{0,20})"
    r"|(?:bcrypt|pbkdf2|argon2|scrypt)_\w*"
)
ASSIGNED = (
    r"(?i)(?:secret|auth|секрет)(?: [а-яё]{4,16})?[\w.-]{0,12}[\"'`*]{0,3}\]?(?: ?\([^()]{1,30}\))?\s{0,12}"
    r"(?::?=>?|<-|→| -|—|\||:(?=\s?\\?[\"'`«“])|</t[dh]>\s{0,9}<td>|</dt>\s{0,9}<dd>)"
    r"\s{0,4}\\?[\"'`«“]{0,2}\Z"
    r"|(?:[a-z][ _-]|(?-i:[a-z](?=S)))"
    r"secret[\"'*`]{0,4}(?: \([^()]{1,30}\))?:\*{0,2}(?: !!str)?\s{1,4}[\"'`]?\Z"
    r"|секрет [а-яё]{4,16}[\"'*`]{0,4}:\*{0,2}\s{1,4}[\"'`]?\Z"
)
"""A secret's name to which a value is assigned, as a program does."""
UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
TOKEN_BEHIND = (
    r"(?i)(?:token|токен[а-я]{0,2}|(?:api|access|secret)[ -]?key"
    r"|ключ[а-я]{0,2} (?:(?:api|доступа)(?: [а-яё]{2,16})?|(?:от|для|к) [\w.-]{2,20}))"
    r"(?: is|:)? {1,2}[\"'`«]?\Z"
)
RIGHT_BEHIND = (
    r"(?i)(?:token|secret|key|salt|соль|фраза|credential|key base"
    r"|токен[а-я]{0,2}(?: [а-яё]{2,20})?|ключ[а-я]{0,2}(?: [а-яё]{2,20})?)"
    r"[`*»]{0,3}(?: is| was| to| это| на| был|,| ?[:=—–-])? {1,2}[\"'`«„“*(]{0,3}\Z"
)
TOLD_BEHIND = (
    r"(?i)(?:(?:token|secret|key|токен[а-я]{0,2}|ключ[а-я]{0,2}|секрет[а-я]{0,2})"
    r"(?: [^\s:.;]{1,30}){1,5}(?: is| was| ?[:=—–])"
    r"|shared secret(?: [a-z]{2,12}){1,4}|секрет[а-я]{0,2}(?: [а-яё]{2,20}){1,2}) {1,2}[\"'`«„“*(]{0,3}\Z"
)
"""The key word, up to five words of whose it is, a colon."""
SHORT_WORD = "(?!qwe|asd|zxc|qaz|letme)[a-z]{1,7}|postgres"
"""No service takes a password of fewer than eight small letters; in manuals they stand everywhere."""

URL_WORD = (
    r"(?i)p(?:[a@#4]|%40|%23)(?:[s$5]|%24){2}(?:w[o0]rd)?!?|key_\d{1,4}|.*\.\.|.*\$\{.*|pass(?:word)?\].*"
)
HEX = r"(?:0x)?(?:[0-9a-f]{1,128}|[0-9A-F]{1,128})"


def is_chained(value: str) -> bool:
    """Tell whether `value` is a chain of words that people make up a password of, and no name in code."""
    return any(compiled(each).fullmatch(value) for each in (CHAINED, DOTTED))


def is_made_up(value: str) -> bool:
    """Tell whether words end with a number or hang together, as in a password and no name in code."""
    return is_chained(value) or any(compiled(each).fullmatch(value) for each in (NUMBERED_WORDS, MADE_UP))


def is_jumbled(value: str) -> bool:
    """Tell whether ten letters or more, a digit at their end, change their case as no name does."""
    return bool(compiled(JUMBLED).fullmatch(value)) and changes(value) >= 3


def changes(value: str) -> int:
    """Return how often neighbours in `value` are of different classes: small, capital, digit."""
    count, last = 0, ""
    for char in value:
        kind = "l" if char.islower() else "u" if char.isupper() else "d" if char.isdigit() else ""
        count += bool(kind and last and kind != last)
        last = kind
    return count


def is_strong(value: str) -> bool:
    """Tell whether `value` looks like a password even among words: letters and digits, well mixed."""
    if compiled(CHAINED).fullmatch(value) or compiled(SCRAMBLED).fullmatch(value):
        return True
    if (
        len(value) < 6
        or compiled(TECHNICAL).fullmatch(value)
        or compiled(PATH).fullmatch(value)
        or "//" in value
        or value[0] == "/"
    ):
        return False
    if not any(map(str.isalpha, value)):
        return False
    if not any(map(str.isdigit, value)):
        return changes(value) >= 3 and bool(compiled(SIGN_INSIDE).search(value))
    kinds = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return sum(any(map(kind, value)) for kind in kinds) >= 3 or changes(value) >= 3
