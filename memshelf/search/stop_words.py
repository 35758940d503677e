"""Words that say nothing of what is sought."""

from __future__ import annotations

from functools import cache

from memshelf.terms import terms

ENGLISH = """
a about after all also am an and any are as at be because been before being but by could did do does
doing for from had has have having he her here him his how i if in into is it its just me my no not of on
or our she should so some such than that the their them then there these they this those to too very was
we were what when where which while who whom why with would you your don't doesn't didn't isn't it's
what's
"""
RUSSIAN = """
а без бы был была были было быть в вам вас весь во вот все всего вы где да для до его ее если есть еще же
за здесь и из или им их к как какая какие каким какой какую когда который которая которое которые кто ли
мне мы на над нам нас наш не него нее нет ни них но о об он она они оно от по под почему при про с со так
также такой там то того тоже той только том тот ты у уже чего чем что чтобы эта эти это этого этой этот я
"""


@cache
def stop_terms() -> frozenset[str]:
    """Return the terms that are left out of a query."""
    return frozenset(terms(ENGLISH + RUSSIAN))
