"""Hosts: any spelling of a remote leads to the page that opens a pull request, without what it hides."""

from __future__ import annotations

import pytest

from memshelf.formats.hosts import Place, compare_url, place

HEAD = "memshelf/homelab/2026-07-10-auth"
ENCODED = HEAD.replace("/", "%2F")
GITHUB = f"https://github.com/me/lab/compare/main...{HEAD}?expand=1"
GITLAB = (
    f"https://gitlab.com/group/sub/lab/-/merge_requests/new?merge_request%5Bsource_branch%5D={ENCODED}"
    "&merge_request%5Btarget_branch%5D=main"
)
BITBUCKET = f"https://bitbucket.org/me/lab/pull-requests/new?source={ENCODED}&dest=main"
SERVER = f"create&sourceBranch=refs%2Fheads%2F{ENCODED}&targetBranch=refs%2Fheads%2Fmain"
TOKEN = "se" + "cret-token"


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://github.com/me/lab.git", GITHUB),
        ("https://github.com/me/lab/", GITHUB),
        ("git@github.com:me/lab.git", GITHUB),
        ("github.com:me/lab", GITHUB),
        ("git@github.com-work:me/lab.git", GITHUB),
        ("ssh://git@ssh.github.com:443/me/lab.git", GITHUB),
        (f"https://me:{TOKEN}@github.com/me/lab.git", GITHUB),
        (f"https://{TOKEN}@GitHub.com/me/lab.git", GITHUB),
        ("git://github.com/me/lab.git", GITHUB),
        ("https://github.example.com/me/lab", GITHUB.replace("github.com", "github.example.com")),
        ("git@gitlab.com:group/sub/lab.git", GITLAB),
        ("https://gitlab.com/group/sub/lab.git", GITLAB),
        (
            "ssh://git@gitlab.example.com:2222/group/sub/lab.git",
            GITLAB.replace("gitlab.com", "gitlab.example.com"),
        ),
        ("git@bitbucket.org:me/lab.git", BITBUCKET),
        (f"https://me:{TOKEN}@bitbucket.org/me/lab.git", BITBUCKET),
        (
            "ssh://git@bitbucket.example.com:7999/proj/lab.git",
            f"https://bitbucket.example.com/projects/proj/repos/lab/pull-requests?{SERVER}",
        ),
        (
            "https://git.example.com:8443/scm/~me/lab.git",
            f"https://git.example.com:8443/users/me/repos/lab/pull-requests?{SERVER}",
        ),
        ("https://codeberg.org/me/lab.git", f"https://codeberg.org/me/lab/compare/main...{HEAD}"),
        ("http://gitea.lan:3000/me/lab.git", f"http://gitea.lan:3000/me/lab/compare/main...{HEAD}"),
        ("ssh://forgejo@git.lan:2222/me/lab", f"https://git.lan/me/lab/compare/main...{HEAD}"),
        ("git@git.lan:/me/lab.git", f"https://git.lan/me/lab/compare/main...{HEAD}"),
    ],
)
def test_a_remote_leads_to_the_page_of_its_host(url: str, page: str) -> None:
    there = place(url)
    assert there is not None
    assert compare_url(there, "main", HEAD) == page
    assert TOKEN not in repr(there)


@pytest.mark.parametrize(
    "url",
    [
        *("/srv/git/lab.git", "../lab.git", "C:\\git\\lab", "C:/git/lab", "file:///srv/lab.git", "", "lab"),
        *("https://github.com/", "https://host:port/me/lab", "ext::sh -c x"),
    ],
)
def test_a_folder_has_no_page(url: str) -> None:
    assert place(url) is None


def test_a_branch_is_quoted_where_it_must_be() -> None:
    there = Place("https://github.com", "me/lab", "github")
    page = compare_url(there, "релиз", HEAD)
    assert page.startswith("https://github.com/me/lab/compare/%D1%80")
    assert there.host == "github.com"
