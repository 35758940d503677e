"""What tells that a number or an address is a person's: its form, and the words around it."""

from __future__ import annotations

from memshelf.redact import digits
from memshelf.redact.regex import compiled

_RESERVED = (
    r"(?i)@(?:[\w-]+\.)*(?:example\.(?:com|org|net|ru)|example|test|invalid|localhost|local|internal|lan|corp|home|svc"
    r"|cluster|domain\.(?:com|tld)|company\.com|yourdomain\.\w+|email\.com|users\.noreply\.github\.com|(?:mail|e-?mail)\.tld"
    r"|openssh\.com|libssh\.org|host\.(?:com|tld)|server\.com|site\.com|acme\.(?:com|org)|iam\.gserviceaccount\.com)\Z"
)
_NO_EMAIL = (
    r"(?i)^(?:no-?reply|do-?not-?reply|git|hg|svn|ssh|user|username|you|your[\w.-]*|name|me|someone|foo|bar|postmaster"
    r"|mailer-daemon|root|notifications?)@|\.(?:png|jpe?g|gif|svg|webp|ico|js|ts|jsx|tsx|css|scss|py|md|json|ya?ml|html?|service|timer"
    r"|socket|target|mount|slice|conf|so|zip|gz|tgz|sh|rb|go|rs|java|vue|map|lock|txt|pdf|exe|dll|whl)\Z|@\d|\[bot\]"
)

_TELEPHONE = (
    r"(?i)(?<![a-zа-яё])(?:(?:(?:tele)?phone|tel(?:efon)?|t[ée]l(?:[ée]phone)?|mob(?:ile?)?|cell"
    r"|fax|whats ?app|viber|handy|m[óo]vil|portable|cellulare)(?![a-z])|тел(?:ефон[а-я]{0,2})?"
    r"|моб(?:ильн[а-я]{2,3})?|сот(?:ов[а-я]{2,3})?|в[ао][тц]сап|вайбер)"
)
_ASKED = (
    r"(?i)(?<![a-zа-яё])(?:call|reach|dial|ring|text|contact|office|home|work|direct|hotline|desk|номер|number|(?:[а-я]{0,4})звон"
    r"|связ|контакт|набер|набир|смс|sms|дежурн|городск|при[её]мн|раб\.|доб\.|ext)"
)
_OTHER_NUMBER = (
    r"(?i)(?:заказ|договор|сч[её]т|накладн|трек|артикул|заявк|инн|снилс|полис|паспорт|карт|кпп|огрн|order|invoice|ticket|track|serial"
    r"|account|card|policy|верси[ияю]|сборк|сумм|размер|сесси|session|рейс|вагон|id)[а-яa-z]{0,4}[^\w\n]{0,4}(?:№|номер|number|no)?[^\w\n]{0,3}\Z"
)
_IP = r"\d{1,3}(?:\.\d{1,3}){3}"
_THOUSANDS = r"\d{1,3}(?:[ \u00a0]\d{3}){2,4}"
_DOTTED = r"\(?\d{3}\)?[. ]\d{3}[. ]\d{4}|\d\d(?:[. ]\d\d){4}"
_DATE = r"(?:19|20)\d\d[-.]\d\d[-.]\d\d|\d\d?[./]\d\d?[./](?:19|20)\d\d(?!\d)"


def is_address(value: str) -> bool:
    """Tell whether an e-mail address is a person's: no machine's, no example, no file name."""
    return not compiled(_NO_EMAIL).search(value) and not compiled(_RESERVED).search(value)


def is_told_phone(value: str, label: str) -> bool:
    """Tell whether a number behind `label` is a telephone's: grouped, or as long as one without groups."""
    value = value.strip()
    number = digits.digits_of(value)
    if value.startswith("+"):
        return digits.is_phone(value)
    if compiled(_DATE).match(value) or compiled(_IP).fullmatch(value) or not 7 <= len(number) <= 13:
        return False
    if compiled(_THOUSANDS).fullmatch(value) and not compiled(_TELEPHONE).match(label):
        return False
    if len(value) > len(number) or _is_russian(number):
        return True
    return len(number) in (10, 11) and number != "1234567890" and bool(compiled(_TELEPHONE).match(label))


def is_phone_near(value: str, before: str, after: str) -> bool:
    """Tell whether a number in a sentence is a telephone's by the words before and behind it."""
    number = digits.digits_of(value)
    if compiled(_DATE).match(value) or compiled(_OTHER_NUMBER).search(before):
        return False
    if compiled(_THOUSANDS).fullmatch(value) and not compiled(_TELEPHONE).search(before):
        return False
    named, asked = compiled(_TELEPHONE).search(before), compiled(_ASKED).search(before)
    if _is_russian(number):
        russian = asked or (number[:2] == "89" and compiled("[а-яё]").search(before + after))
        return bool(
            named
            or (russian and compiled("(?i)[а-яё]").search(before + after))
            or compiled(_TELEPHONE).search(after)
        )
    if "." in value and not compiled(_DOTTED).fullmatch(value):
        return False
    groups = compiled(r"[ ().\-\u2011\u00a0]+").split(value.strip(" ()"))
    return bool(named or asked) and 9 <= len(number) <= 12 and 3 <= len(groups) <= 6 and len(groups[-1]) >= 2


def is_told_account(value: str) -> bool:
    """Tell whether a number behind its label is a card's, or a person's account in a Russian bank."""
    number = digits.digits_of(value)
    return (len(number) == 20 and number.startswith(("40", "42"))) or (
        13 <= len(number) <= 19 and digits.is_card(number)
    )


_DATED = r"(?<!\d)\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d\d-\d\d|\A(?:19|20)\d\d-\d\d\Z|\A10\.\d{4,5}/"
_OF_HEALTH = (
    r"(?i)health|insur|medic|patient|clinic|hospital|\bmrn\b|\bppo\b|\bhmo\b|copay|aetna|cigna|humana|kaiser"
    r"|blue (?:cross|shield)|medicare|пациент|медиц|медкарт|\bдмс\b|\bомс\b"
)


def is_document(value: str) -> bool:
    """Tell whether what stands behind a document's name is its number: no date, no version."""
    dated = compiled(_DATED).search(value)
    coded = compiled(r"[A-Z0-9]{8,12}").fullmatch(value) and not value.isalpha()
    enough = len(digits.digits_of(value)) >= (3 if coded else 6)
    return enough and not dated and not compiled(r"[\d.]*\.[\d.]*").fullmatch(value)


def is_document_in_column(value: str, heads: str) -> bool:
    """Tell whether a cell is a document's number; `heads` starts with the head of its column."""
    number = digits.digits_of(value)
    if compiled("(?i)инн").match(heads):
        return value == number and len(number) == 12
    return is_document(value) and 8 <= len(number) <= 24 and len(set(number)) > 2


def is_of_health(line: str) -> bool:
    """Tell whether a line speaks of health care."""
    return bool(compiled(_OF_HEALTH).search(line))


def _is_russian(number: str) -> bool:
    return len(number) == 11 and number[0] in "78" and number[1] in "3489"
