"""Redaction: secrets go, everything else stays, and the marks say which is which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.errors import FormatError
from memshelf.redact import Marks, Policy, Redaction, parse_patterns, redact

NONE = Policy()
BODY = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdEfGhIjKl" * 3

TOKENS = {  # joined here, so that no file of the repository holds what a scanner takes for a key
    "github-token": ["gh" + "p_" + BODY[:36], "github" + "_pat_" + BODY[:22] + "_" + BODY[:59]],
    "gitlab-token": ["gl" + "pat-" + BODY[:20]],
    "aws-key-id": ["AK" + "IA" + "QWERTYUIOPASDFGH", "AS" + "IA" + "QWERTY234567ABCD"],
    "slack-token": ["xox" + "b-123456789012-" + BODY[:24]],
    "webhook": ["hooks.slack" + ".com/services/T0/B0/" + BODY],
    "anthropic-key": ["sk-" + "ant-api03-" + BODY[:90]],
    "openai-key": ["sk-" + "proj-" + BODY[:80], "sk" + "-" + BODY[:48]],
    "google-key": ["AI" + "za" + BODY[:35]],
    "stripe-key": ["sk" + "_live_" + BODY[:24], "wh" + "sec_" + BODY[:32]],
    "npm-token": ["np" + "m_" + BODY[:36]],
    "pypi-token": ["py" + "pi-AgEIcHlwaS5vcmc" + BODY[:90]],
    "huggingface-token": ["h" + "f_" + BODY[:34]],
    "jwt": ["ey" + "J" + BODY[:30] + ".ey" + "J" + BODY[:40] + "." + BODY[:43]],
    "telegram-token": ["1234567890" + ":AA" + BODY[:33]],
    "sendgrid-key": ["S" + "G." + BODY[:22] + "." + BODY[:43]],
    "vault-token": ["hv" + "s." + BODY[:90]],
}
TOKEN = TOKENS["github-token"][0]
OTHER = "gh" + "o_" + BODY[5:41]
VALUE = BODY[:20]
PASSWORD = "k3tt" + "le!fish"


def pem(label: str) -> str:
    return "\n".join([f"-----BEGIN {label}" + "-----", *[BODY[i : i + 64] for i in (0, 9, 18)], "Qk9=", ""])


def ending(label: str) -> str:
    return f"-----END {label}" + "-----"


PASSWORD_FRAMES = r"""
password = {}
DB_PASSWORD={} DB_HOST=db
PASSWORD={}\nHOST=db
db_pass: {}
passwd: '{}'
{{"login": "qa", "password": "{}", "keep": true}}
{{\"password\": \"{}\"}}
**Password:** {}
`password`: `{}`
password for the staging box: {}
jdbc:postgresql://db:5432/app?user=app&password={}&ssl=true
password = password = {}
if password == "{}":
| password | {} |
Пароль: {}
с паролем: «{}», сеть guest
пароль от базы данных: {}
ПАРОЛЬ — {}
""".strip().split("\n")

KEY_FRAMES = """
api_key: {}
API key: {}.
X-Api-Key: {}
const apiKey = '{}';
aws_secret_access_key = {}
AccountKey={};client_id=shelf&scope=all
(token: {})
https://api.local/v1?access_token={}&page=2
//registry.local/:_authToken={}
токен: {}
Ключ доступа: `{}`
секретный ключ = {}
""".strip().split("\n")

LOOK_ALIKES = [
    *r"""
Fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8, backported as 9fceb02.
request 3f2504e0-4f89-11d3-9a0c-0305e82c3301, key: 3F2504E0-4F89-11D3-9A0C-0305E82C3301
src/Redact/TokenRules/ApiKeyRule.py and C:\Users\Me\Secret\Plan.docx
password_file: /run/secrets/db_password1, PWD=/Users/Alice/Proj2/src
There is no API key in the build.
Достопримечательность, высокопревосходительство, водогрязеторфопарафинолечение
apiKey: import.meta.env.X, api_key: import.meta.env.VITE_KEY1
api_key = os.environ["OPENAI_API_KEY_2"]; const secret = process.env.STRIPE_SECRET2;
password: ${DB_PASSWORD_1}, token: $DB_TOKEN_1, secret: {{ vault.db1 }}
password: %(db_password1)s, token: <your token 1>, f"password={PASSWORD}"
password = getpass.getpass('Password: '), API_KEY=${API_KEY:?missing}
password: changeme, secret: ********, TOKEN=..., api_key=your-api-key-1
user:password@host, postgres://user:password@localhost/db, scheme://user:pw@host
max_tokens = 4096, token budget: 8000, token_count=12345678, token: 12345678, page_token = aB3dE5gH7j
password_hash = aB3dE5gH7j; token_type: bearer; secretName: db-creds-1; password::reset1; a || token || b
password is required; пароль: обязательное поле; Password policy: at least 12
Basic authentication is off; the bearer of bad news; Authorization: Bearer $TOKEN
http://localhost:3000?to=a@b, git@github.com:acme/shelf.git, ssh://git@host:2222/ops, hf_transfer
""".strip().split("\n"),
    '"integrity": "sha512-' + BODY[:86] + '=="',
    "checksum = " + "0123456789abcdef" * 4 + "x" + "AK" + "IAQWERTYUIOPASDFGH",
    "![x](data:image/png;base64,iVBORw0KGgo" + BODY * 4 + ")",
    "GITHUB_TOKEN=gh" + "p_" + "x" * 36,
    "re.compile(r'gh" + "p_[A-Za-z0-9]{36}')",
    "The line -----BEGIN RSA " + "PRIVATE KEY----- opens the block.",
    "-----BEGIN PUBLIC KEY" + "-----\n" + BODY[:64] + "\n-----END PUBLIC KEY" + "-----",
    "AK" + "IAIOSFODNN7EXAMPLE",
    "",
]

HOSTILE = [
    *("token:", "password=", "password=a(", "password='", "password: password_", 'token: "a ', "token: 'a "),
    *("eyJaaaaaaaaaa-", "eyJaaaaaaaaaa.", "SG.aaaaaaaaaaaaaaaaaaaa", "xoxb-", "://a:", "bearer a", "a."),
    *(
        "passwordsa1",
        "api_key a1",
        "creds: ",
        "<<<a1",
        "seeda1",
        ":*:a1",
        "Cookie: a=b;",
        "| password |\n|---|\n",
    ),
    *("-----BEGIN " + "PRIVATE KEY-----" + tail for tail in ("\n", "\nA", " Note: ")),
]

BAD_PATTERNS = [
    *("name zq(", "name zq[", "name zq{2}{3}**", "name (?<=zq)b", "name (zq)\\1", "name zq{5000}"),
    *("name (zq)*", "name zq|", "name $|zq", "name \\b|zq", "name (?=zq|b)"),
    "name z\0q",
    *("name", "Name zq", "na_me zq", "1zq zq", f"{'n' * 41} zq", "zq"),
]


@pytest.mark.parametrize(("kind", "token"), [(kind, each) for kind in TOKENS for each in TOKENS[kind]])
@pytest.mark.parametrize("frame", ["it was {}, then", "ключ «{}» отозван", "`{}`", 'f("{}")', "a\\n{}\\nb"])
def test_a_provider_token_goes_and_the_words_around_it_stay(kind: str, token: str, frame: str) -> None:
    text, report = redact(frame.format(token), NONE)

    assert text == frame.format(f"«redacted:{kind}#1»")
    assert [each.rule for each in report] == [kind]


@pytest.mark.parametrize("frame", PASSWORD_FRAMES)
def test_a_password_goes_and_its_label_stays(frame: str) -> None:
    for password in (PASSWORD, "4821"):
        assert redact(frame.format(password), NONE)[0] == frame.format("«redacted:password#1»")


@pytest.mark.parametrize("frame", KEY_FRAMES)
@pytest.mark.parametrize("value", [VALUE, "a1b2c3d4-e5f6-4a1b-8c2d-9e0f1a2b3c4d", BODY[:30] + "/+aB"])
def test_a_key_goes_and_its_label_stays(frame: str, value: str) -> None:
    assert redact(frame.format(value), NONE)[0] == frame.format("«redacted:secret#1»")


@pytest.mark.parametrize("frame", ["Authorization: Bearer {}", "'authorization: bearer {}'", "> Basic {}"])
def test_an_authorization_header_keeps_only_its_scheme(frame: str) -> None:
    assert redact(frame.format(BODY[:30] + "=="), NONE)[0] == frame.format("«redacted:authorization#1»")


@pytest.mark.parametrize(
    "frame", ["pg://shelf:{}@db:5432/x", "см. redis://:{}@h:1/0, дальше", "https://u:{}@h"]
)
@pytest.mark.parametrize("password", [PASSWORD, "hunter", "p@ss:word"])
def test_a_url_loses_only_its_password(frame: str, password: str) -> None:
    assert redact(frame.format(password), NONE)[0] == frame.format("«redacted:url-password#1»")


@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_goes_as_a_whole(label: str) -> None:
    block = pem(label) + ending(label)
    frames = ["a\n{}\nb", "```\n{}\n```", 'K="{}"\nP=1']
    written = [block, block.replace("\n", "\n    "), block.replace("\n", "\\n"), block.replace("\n", "\n> ")]

    for frame in frames:
        for each in written:
            assert redact(frame.format(each), NONE)[0] == frame.format("«redacted:private-key#1»")


def test_a_truncated_private_key_goes_as_far_as_it_stands() -> None:
    headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n"
    head, _, body = pem("RSA PRIVATE KEY").partition("\n")

    assert (
        redact(f"a\n```\n{head}\n{headers}{body}```\nAfter it.", NONE)[0]
        == "a\n```\n«redacted:private-key#1»\n```\nAfter it."
    )
    assert redact(f"{head}\n{BODY[:64]}\nand so on", NONE)[0] == "«redacted:private-key#1»\nand so on"


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text, NONE) == (text, ())


def test_equal_values_get_equal_numbers_in_order_of_appearance() -> None:
    text, _ = redact(f"{TOKEN} then {OTHER}, again {TOKEN}; password: {PASSWORD}", NONE)

    first, second = "«redacted:github-token#1»", "«redacted:github-token#2»"
    assert text == f"{first} then {second}, again {first}; password: «redacted:password#1»"
    assert redact("12", Policy((("digit", r"\d"),)))[0] == "«redacted:digit#1»«redacted:digit#2»"


def test_one_numbering_runs_over_several_texts_and_shows_no_value() -> None:
    marks = Marks()

    texts = [redact(token, NONE, marks)[0] for token in (TOKEN, OTHER, TOKEN)]

    assert texts == [f"«redacted:github-token#{number}»" for number in (1, 2, 1)]
    assert TOKEN not in repr(marks) + str(marks)


def test_an_amend_numbers_on_behind_what_the_text_holds() -> None:
    old = "«redacted:github-token#7» and «redacted:github-token#2», «redacted:password#3», «redacted:secret»"

    assert redact(TOKEN, NONE, Marks.after(old))[0] == "«redacted:github-token#8»"
    assert redact(f"{old} {TOKEN}", NONE)[0] == f"{old} «redacted:github-token#8»"
    assert redact(f"password: {PASSWORD}", NONE, Marks.after(old))[0] == "password: «redacted:password#4»"
    assert redact(f"token: {VALUE}", NONE, Marks.after(old))[0] == "token: «redacted:secret#1»"


@pytest.mark.parametrize(
    "frame", ["{}", "password = {}", 'token: "{}"', "redis://:{}@h/0", "Bearer {}", "пароль: «{}»"]
)
@pytest.mark.parametrize(
    "mark", ["«redacted:npm-token#1»", "«redacted:env-secret»", "«redacted:password#999999»"]
)
def test_a_mark_is_left_alone(frame: str, mark: str) -> None:
    policy = Policy((("word", r"redacted|\w+-token"), ("number", r"#\d+")))

    assert redact(frame.format(mark), policy) == (frame.format(mark), ())


def test_a_hit_across_a_mark_takes_both_sides_and_keeps_the_mark() -> None:
    text, report = redact("Bluebird «redacted:secret#1».\nBluebird a", Policy((("project", "Bluebird.*"),)))

    assert text == "«redacted:project#1»«redacted:secret#1».\n«redacted:project#2»"
    assert [each.rule for each in report] == ["project", "project"]


def test_the_more_telling_of_two_overlapping_rules_names_the_mark() -> None:
    assert redact(f"token = {TOKEN}", NONE)[0] == "token = «redacted:github-token#1»"
    assert redact(f"token = {TOKEN}/x1", NONE)[0] == "token = «redacted:github-token#1»"
    assert redact(f"token={TOKEN}", Policy((("gap", r"\b"),)))[0] == "token=«redacted:github-token#1»"
    assert redact(f"https://x:{TOKEN}@h/a", NONE)[0] == "https://x:«redacted:github-token#1»@h/a"


def test_the_report_says_where_the_mark_stands_and_never_what_it_hides() -> None:
    text, report = redact(f"one\nтокен {TOKEN} и\n\n  password: {PASSWORD}\n", NONE)

    assert report == (
        Redaction("github-token", 2, 7, "«redacted:github-token#1»"),
        Redaction("password", 4, 13, "«redacted:password#1»"),
    )
    for each in report:
        assert text.split("\n")[each.line - 1][each.column - 1 :].startswith(each.mark)
    assert TOKEN not in repr(report)


SEPARATORS = [*"=:|—\"'`«»\\ ,&<(-\n\0", " = ", ": ", "${", "#1»", "«redacted:", "«redacted:secret#1»"]
WORDS = ["password", "token", "пароль", "api_key", "bearer ", "://u:", "@host", "word", "4096", "acme-7"]
SECRETS = [TOKEN, OTHER, PASSWORD, VALUE, pem("PRIVATE KEY"), ending("PRIVATE KEY")]
FRAGMENTS = SEPARATORS + WORDS + SECRETS + [tokens[0] for tokens in TOKENS.values()]
PATTERNS = [("ticket", r"acme-\d"), ("a", "a"), ("any", ".{3}"), ("bare", r"\bword\b"), ("q", "[«»]")]


@given(
    parts=st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=12),
    patterns=st.lists(st.sampled_from(PATTERNS)),
)
def test_redacting_twice_is_redacting_once(parts: list[str], patterns: list[tuple[str, str]]) -> None:
    policy = Policy(tuple(patterns))

    once, report = redact("".join(parts), policy)

    assert redact(once, policy) == (once, ())
    for each in report:
        assert once.split("\n")[each.line - 1].startswith(each.mark, each.column - 1)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_comes_to_an_end(unit: str) -> None:
    text = unit * (20_000 // len(unit))

    assert redact(redact(text, NONE)[0], NONE)[1] == ()


def test_a_shelf_adds_its_own_patterns() -> None:
    policy = Policy(parse_patterns("# people\n\nperson Мари[яией]+\\s+Синицын\\w+\nticket \\bACME-\\d+\\b\n"))

    text, report = redact("Мария Синицына: ACME-4471, с Марией Синицыной о ACME-4471", policy)

    assert text == "«redacted:person#1»: «redacted:ticket#1», с «redacted:person#2» о «redacted:ticket#1»"
    assert {each.rule for each in report} == {"person", "ticket"}


def test_patterns_are_read_line_by_line() -> None:
    text = "\ufeff# none\r\n\r\n  host  [a-z]+ [0-9] #x \r\nhost\t b\n"

    assert parse_patterns(text) == (("host", "[a-z]+ [0-9] #x"), ("host", "b"))
    assert parse_patterns("") == ()


def test_letters_of_every_script_are_words_to_a_pattern() -> None:
    policy = Policy(
        parse_patterns("person \\bПетр\\w+\\b\nroom [\\w-]+-\\d{3}\\b\nboss \\bШеф\\b|\\bboss\\b\n")
    )

    text = redact("С Петровым в зале-101, не Непетров; Шеф и boss; зал-1012", policy)[0]

    assert text.startswith("С «redacted:person#1» в «redacted:room#1», не Непетров; ")
    assert text.endswith("«redacted:boss#1» и «redacted:boss#2»; зал-1012")


def test_a_greedy_pattern_and_the_one_too_many_are_refused() -> None:
    for text, line in (("any .+", 1), ("word [a-z]+", 1), ("x zq\n" * 1001, 1001)):
        with pytest.raises(FormatError) as refusal:
            parse_patterns(text)
        assert refusal.value.line == line


def test_a_hostile_pattern_is_harmless() -> None:
    policy = Policy(parse_patterns("slow (a+)+$"))

    assert redact("a" * 50_000 + "b", policy) == ("a" * 50_000 + "b", ())


@pytest.mark.parametrize("line", BAD_PATTERNS)
def test_a_bad_pattern_is_refused_by_its_line_and_not_repeated(line: str) -> None:
    with pytest.raises(FormatError) as refusal:
        parse_patterns(f"# first\nok a+\n{line}\nok b+\n")

    assert refusal.value.line == 3
    assert str(refusal.value).startswith("line 3: ")
    assert "zq" not in str(refusal.value)
