"""Where a remote's pull requests are opened: its URL, in any of git's spellings -> a page of the host.

No user's name, password or token of the URL gets into what is returned.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, urlsplit

SCP = re.compile(r"(?:[^/@\s]*@)?(?P<host>[^/:@\s]{2,}):(?!//|:)/*(?P<path>.+)")
SCHEMES = ("https", "http", "ssh", "git+ssh", "ssh+git", "git")
CLOUDS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
OTHER_DOORS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Where ssh is served on the port of https -> the host's own name."""

KNOWN = ("github", "gitlab", "bitbucket")


class Place(NamedTuple):
    """A repository on a git host: `site` is scheme, host and port of its pages, `path` the repository's.

    `kind` is github, gitlab, bitbucket, bitbucket-server, or empty: any other, as Gitea and Forgejo.
    """

    site: str
    path: str
    kind: str

    @property
    def host(self) -> str:
        """The host's name, with a port where the URL of its pages has one."""
        return self.site.partition("://")[2]


def place(url: str) -> Place | None:
    """Return the repository that a remote's URL names; None where it is a folder, or names none."""
    try:
        scheme, host, port, path = _parts(url.strip())
    except ValueError:  # a port that is no number
        return None
    path = path.strip("/").removesuffix(".git").strip("/")
    if not host or not path:
        return None
    host = _own_name(host)
    port = port if scheme in ("http", "https") else ""
    kind = _kind(host, path)
    if kind == "bitbucket-server":
        path = path.removeprefix("scm/")
    site = f"{'http' if scheme == 'http' else 'https'}://{host}{f':{port}' if port else ''}"
    return Place(site, path, kind)


def compare_url(there: Place, base: str, head: str) -> str:
    """Return the page that opens a pull request from the branch `head` into the branch `base`."""
    repository = f"{there.site}/{quote(there.path)}"
    one, two = quote(base, safe=""), quote(head, safe="")
    if there.kind == "gitlab":
        names = f"merge_request%5Bsource_branch%5D={two}&merge_request%5Btarget_branch%5D={one}"
        return f"{repository}/-/merge_requests/new?{names}"
    if there.kind == "bitbucket":
        return f"{repository}/pull-requests/new?source={two}&dest={one}"
    if there.kind == "bitbucket-server":
        owner, _, name = there.path.rpartition("/")
        folder = f"users/{owner[1:]}" if owner.startswith("~") else f"projects/{owner}"
        heads = f"sourceBranch=refs%2Fheads%2F{two}&targetBranch=refs%2Fheads%2F{one}"
        return f"{there.site}/{quote(folder)}/repos/{quote(name)}/pull-requests?create&{heads}"
    expanded = "?expand=1" if there.kind == "github" else ""
    return f"{repository}/compare/{quote(base)}...{quote(head)}{expanded}"


def _parts(url: str) -> tuple[str, str, str, str]:
    """Return (scheme, host, port, path) of a URL, all empty for a folder."""
    if "://" in url:
        found = urlsplit(url)
        port = str(found.port or "")
        known = found.scheme in SCHEMES and found.hostname
        return (found.scheme, found.hostname or "", port, found.path) if known else ("", "", "", "")
    short = SCP.fullmatch(url)
    return ("ssh", short["host"].lower(), "", short["path"]) if short else ("", "", "", "")


def _own_name(host: str) -> str:
    """Return the host that pages come from; `github.com-work` is how ssh tells two accounts apart."""
    found = OTHER_DOORS.get(host, host)
    return next((cloud for cloud in CLOUDS if found.startswith(f"{cloud}-")), found)


def _kind(host: str, path: str) -> str:
    kind = next((name for name in KNOWN if name in host), "")
    server = path.startswith("scm/") or (kind == "bitbucket" and host != "bitbucket.org")
    return "bitbucket-server" if server else kind
