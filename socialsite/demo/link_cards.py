"""Cards for some links of the demo, written here, because a demo fetches nothing from other sites."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from feed import picture_files
from feed.activities import Details
from feed.link_cards.jobs import picture_entry
from feed.models import Picture
from feed.store import link_cards

from .motifs import Motif
from .picture_pool import encode_motif


@dataclass(frozen=True, slots=True)
class DemoCard:
    """A card without its picture. ``motif``: shown instead of the picture of the page."""

    title: str
    description: str
    author: str = ""
    motif: Motif | None = None

    @property
    def content(self) -> Details:
        values = {"title": self.title, "description": self.description, "author": self.author}
        return {name: value for name, value in values.items() if value}


CARDS = {
    "https://docs.djangoproject.com/en/stable/topics/db/optimization/": DemoCard(
        "Database access optimization | Django documentation",
        "The layers of Django that help developers get the most out of their databases, "
        "with links to the relevant documentation.",
    ),
    "https://www.gutenberg.org/": DemoCard(
        "Project Gutenberg",
        "A library of free eBooks. Volunteers digitize books whose copyright has expired.",
        motif=Motif("books", 0),
    ),
    "https://apod.nasa.gov/apod/astropix.html": DemoCard(
        "Astronomy Picture of the Day",
        "Each day a different picture of the universe, with an explanation by an astronomer.",
        author="Robert Nemiroff and Jerry Bonnell",
        motif=Motif("night_sky", 0),
    ),
    "https://en.wikipedia.org/wiki/Sourdough": DemoCard(
        "Sourdough - Wikipedia",
        "Bread whose dough is raised by wild yeast and lactic acid bacteria.",
        motif=Motif("bread", 0),
    ),
}


def initial_link_card(*, details: Details) -> Details | None:
    """Return the ``link_card`` of a post of the demo, until ``add_link_cards`` completes it."""
    url = details.get("url")
    return {"url": url} if url in CARDS else None


def add_link_cards(*, now: datetime) -> Iterator[int]:
    """Store the cards with their pictures, and copy them to the posts. Safe to repeat."""
    Picture.objects.filter(owner=Picture.SITE).update(post=Picture.DELETED_POST)
    contents = {}
    for url, card in CARDS.items():
        contents[url] = card.content
        if card.motif is not None:
            upload = encode_motif(card.motif)
            picture = picture_files.store_upload(owner=Picture.SITE, upload=upload)
            contents[url]["picture"] = picture_entry(picture=picture, alt=card.motif.description)
    names = [link_cards.name_of_picture(content=content) for content in contents.values()]
    Picture.objects.filter(name__in=names).update(post=Picture.LINK_CARD)
    link_cards.insert_cards(contents=contents, fresh_until=now + timedelta(days=365), now=now)
    for stored_card in link_cards.cards_of(urls=contents):
        link_cards.copy_to_posts(card=stored_card)
        yield 1
