"""Regexes for what values look like: stand-ins, words, paths, technical names, and what tells of a value."""

from __future__ import annotations

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
    r"|[a-z]{1,20}(?:[-_][a-z]{1,20}){0,4}[-_](?:(?:token|key)\d?|password|passwd|pass|pwd|secret|here|value)"
    r"|not[-_ ](?:an?|my)[-_ ]real[-_ ].*)"
)
"""`personal-access-token`, `yourSecretKeyGoesHere`, `db-password`: it says what it stands for."""

_NO_TEXT = r"undefined|nil|boolean|number|object|never|void|u?int\d{0,2}(?:array|_t)?|float\d\d"
PLACEHOLDER = (
    r"(?i)(?:your\w*[-_ ].*|(?:insert|enter|put|ваш|встав|замен|укаж)\w*[-_ ]\D*\d?|\W*"
    r"|my\w*[-_ ]\w*(?:secret|pass|token|key|api|value|app|user|project|db|database|account|org|company"
    r"|release|service)\D*\d?"
    r"|\[[\w ]*\]?|\*[A-Za-z_-]+\d?|pass(?:word|wd)?|pwd"
    r"|secret|token|string|test|dummy|fake|foo|bar|foobar(?:baz|ed)?|sample|demo|mock|todo|tbd|unset"
    r"|none|null|true|false|required|optional|(?-i:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]+%)"
    r"|\$?\{.*\}|\$\(\w+\)|[#.][\w-]*(?:pass\w*|tokens?|secrets?|keys?|pwd)|<.*>|[x*•.\-_0]+)$"
    rf"|(?:{_ITS_OWN_NAME}|{_NO_TEXT})$"
    r"|arn:|urn:|\$[a-z]+(?:\.[\w-]+)+$|(?-i:[A-Z_]+_HERE$)"
)
WORD = r"[A-ZА-ЯЁ]{0,16}[a-zа-яё]{0,30}(?:[A-ZА-ЯЁ][a-zа-яё]{1,30}){0,6}"
PATH = r"(?:~|\.{0,2}|[A-Za-z]:)(?:[/\\][\w.@-]{1,24}){2,}"
TECHNICAL = (
    r"(?i)v?\d[\d.,:/x-]*(?-i:[A-Z]?[a-zа-я%]{0,12}|[A-Z]{2,4})|\d+-[a-zа-я]+|[a-zа-я]+(?:[-_./][a-zа-я]*\d?)*|[a-zа-я]+\d?(?:[-_./][a-zа-я]+\d?)*"
    r"|(?:sha|md|utf|aes|rsa|base|iso|hs|rs|es|ed|x|rfc|cve|pr|ver|python|py|node|http|win|argon|bcrypt|cp|gpt|ipv|tls"
    r"|ssl|u?int|float|step|line|part|build|release|issue|ticket|h)[-_ ]?v?[\d.-]+[a-z]{0,4}"
    r"|[\w./-]+\.(?:py|js|ts|md|ya?ml|json|toml|txt|html?|css|go|rs|sh|env|conf|cfg|ini|sql|java|kt|rb|php|png|jpg)"
    r"|\w+(?:::\w+)+|[A-Za-z_.]+\d*\(.*|(?-i:[A-Z]{2,8}-\d+)|[\w.-]+=[\w.#-]*|[\w.-]+@[\w.-]+\.\w+"
)
NUMBERED_WORDS = (
    r"(?:[^\W\d_]{3,20}\.){2,4}\d{2,6}|[A-ZА-ЯЁ][^\W\d_]{2,20}(?:[-_][^\W\d_]{3,20}){1,3}[-_]\d{2,6}"
)
CMDLET = r"[A-Z][a-z]+(?:[A-Z][a-z]+)*-(?:[A-Z][a-z]+)+"
SIGN_INSIDE = r"(?<=\w)[!#$%^*~]{1,3}\w|[a-z][A-Z]{1,3}\w*[!#$%^*~]\Z"
TOLD = (
    r"(?i)(?:[:=—–-]|(?<!\w)(?:is|was|to|now|by|with|from|one"
    r"|это|был|на|стал|теперь|он|новый))\s{1,2}[\"'`«„“*]{0,3}\Z"
)
BESIDE = r"(?i)(?:пароль(?: на архив)?|password|passphrase|pass|pwd)\s{1,2}\Z"
NUMBERED = r"(?!(?:sha|md|utf|aes|rsa|python|bcrypt)\d)[a-zа-яё]{4,20}\d{3,6}"
NAMED_BEFORE = (
    r"(?i)(?<!\w)(?:user|login|account|host|server|for|of|to|on|at|in|from|от|для|к|на|в|у|из|с|до"
    r"|пользовател[яюь]|логин[ау]?|уч[её]тки|хоста|сервера)\s{1,2}\Z"
)
NAME_WITH_NUMBER = r"[a-z]+(?:[-_][a-z]+)*[-_]?\d{1,4}"
YEAR_BEHIND = r".*(?:19|20)\d\d"
HASH_NAME = r"(?i)(?:sha|md|utf|argon|bcrypt|pbkdf|base)-?\d[\w-]{0,6}"
ALGORITHM = (
    r"(?i)(?:sha|md|utf|aes|rsa|argon|bcrypt|pbkdf|base|hs|rs|es|oauth|tls|ssl|ipv|http|python)-?\d.*"
    r"|(?:bcrypt|pbkdf2|argon2|scrypt)_\w*"
)
UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
TOKEN_BEHIND = r"(?i)(?:token|токен[а-я]{0,2})(?: is|:)? {1,2}[\"'`«]?\Z"
RIGHT_BEHIND = (
    r"(?i)(?:token|secret|key|токен[а-я]{0,2}|ключ[а-я]{0,2}(?: [а-яё]{2,20})?)"
    r"(?: is| was|,| ?[:=—–-])? {1,2}[\"'`«„“*(]{0,3}\Z"
)
SHORT_WORD = "(?!qwe|asd|zxc|qaz|letme)[a-z]{1,7}|postgres"
"""No service takes a password of fewer than eight small letters; in manuals they stand everywhere."""

URL_WORD = (
    r"(?i)p(?:[a@#4]|%40|%23)(?:[s$5]|%24){2}(?:w[o0]rd)?!?|key_\d{1,4}|.*\.\.|.*\$\{.*|pass(?:word)?\].*"
)
HEX = r"(?:0x)?(?:[0-9a-f]{1,128}|[0-9A-F]{1,128})"
