"""The rules of the demo."""

from collections.abc import Iterator

from socialsite.moderation.models import Rule

RULES = (
    (
        "Be kind",
        "Argue about ideas, not about people. No insults, harassment or threats, and no hate because of "
        "who somebody is.",
    ),
    (
        "Add content warnings",
        "Put violence, nudity and spoilers behind a content warning, so that everyone can decide.",
    ),
    (
        "No spam",
        "No repeated advertising, no link farms, and no bought likes or followers.",
    ),
    (
        "Respect privacy",
        "Do not publish the address, phone number or private messages of other people.",
    ),
    (
        "Be yourself",
        "Do not pretend to be somebody else. Parody and pseudonyms are welcome if they are recognizable.",
    ),
    ("Keep it legal", "Nothing that is illegal where this site is run, and no stolen works."),
)


def write_rules() -> Iterator[int]:
    """Write the rules, unless the site has any. Yields the number of written rules."""
    if not Rule.objects.exists():
        Rule.objects.bulk_create(
            Rule(text=text, details=details, order=position)
            for position, (text, details) in enumerate(RULES, 1)
        )
    yield len(RULES)
