"""The parts of the demo that are the same for every seed: rules, messages, drafts and link cards.

``texts/handwritten.toml`` contains them. Each function is a step of ``seed_demo``. All are safe to repeat.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from feed import attributes, picture_files, signals
from feed.activities import Details
from feed.link_cards.cards import picture_entry
from feed.models import Picture, Post
from feed.post_content import PostContent
from feed.services.drafts import save_draft
from feed.store import bulk, conversations, link_cards
from feed.store.comment_rows import NewComment
from socialsite.moderation.models import Rule

from .languages import load_handwritten
from .motifs import DESCRIPTIONS
from .personas import ALICE, FIXED_PERSONAS
from .picture_pool import encode_motif
from .plan import Plan
from .planned_posts import DemoSpec, planned_id

MESSAGE_AGES = (timedelta(hours=50), timedelta(hours=27), timedelta(hours=9))
ANSWER_DELAY = timedelta(minutes=17)

CONVERSATIONS = load_handwritten()["conversations"]
RULES = load_handwritten()["rules"]
CARDS = {card["url"]: card for card in load_handwritten()["link_cards"]}
"""Cards by URL. They are written by hand, because a demo fetches nothing from other sites."""


def write_rules() -> Iterator[int]:
    """Write the rules, unless the site has any. Yields the number of written rules."""
    if not Rule.objects.exists():
        Rule.objects.bulk_create(Rule(**rule, order=n) for n, rule in enumerate(RULES, 1))
    yield len(RULES)


def save_drafts(uids: Sequence[int]) -> Iterator[int]:
    """Save the drafts and the scheduled post of alice."""
    for draft in load_handwritten()["drafts"]:
        due_at = None
        if days := draft.get("days"):
            due_at = timezone.now().replace(hour=8, minute=30, second=0, microsecond=0)
            due_at += timedelta(days=days)
        content = PostContent(
            text=draft["text"],
            language="en",
            kind=draft.get("kind", "note"),
            details=draft.get("details", {}),
        )
        key = f"demo-{draft['key']}"
        save_draft(author=uids[ALICE], content=content, due_at=due_at, idempotency_key=key)
    yield 1


def send_messages(plan: Plan, uids: Sequence[int], spec: DemoSpec) -> Iterator[int]:
    """Let users whom alice follows write to her.

    Runs before the inboxes are built, so the home timeline contains the messages.
    """
    senders = [
        user
        for user, followers in sorted(plan.followers.items())
        if ALICE in followers and plan.personas[user].language == "en"
    ]
    # Bob and carol have log-ins, so they can answer.
    senders.sort(key=lambda user: user >= len(FIXED_PERSONAS))
    for sender, age, conversation in zip(senders, MESSAGE_AGES, CONVERSATIONS, strict=False):
        at = spec.now - age
        post_id = planned_id(at=at, node=spec.node)
        uid, alice = uids[sender], uids[ALICE]
        comments = [
            (
                planned_id(at=at + ANSWER_DELAY * number, node=spec.node),
                NewComment(post=post_id, uid=uid if number % 2 == 0 else alice, text=answer),
            )
            for number, answer in enumerate(conversation["answers"], 1)
        ]
        discussion = bulk.Discussion(likers=[], comments=comments)
        bulk.replace_discussions(discussions={post_id: discussion})
        if not Post.objects.filter(pk=post_id).exists():
            Post.objects.create(
                pk=post_id,
                author_id=uid,
                text=conversation["text"],
                visibility=Post.Visibility.DIRECT,
                recipients=[alice],
                attributes=attributes.attributes_of(text=conversation["text"]),
                created_at=at,
                delivery_audience_size=1,
                delivery_state=Post.DeliveryState.DONE,
                delivery_due_at=timezone.now(),
                **discussion.post_counters(),
            )
        conversations.add_participants(post=post_id, owners=[uid, alice])
        if not comments:
            signals.post_published.send_robust(sender=None, post=post_id, author=uid)
    yield 1


def initial_link_card(*, details: Details) -> Details | None:
    """Return the ``link_card`` of a post of the demo, until ``add_link_cards`` completes it."""
    url = details.get("url")
    return {"url": url} if url in CARDS else None


def add_link_cards(*, now: datetime) -> Iterator[int]:
    """Store the cards with their pictures, and copy them to the posts."""
    Picture.objects.filter(owner=Picture.SITE).update(post=Picture.DELETED_POST)
    contents = {}
    for url, card in CARDS.items():
        contents[url] = {
            name: card[name] for name in ("title", "description", "author") if name in card
        }
        if "motif" in card:
            upload = encode_motif(card["motif"])
            picture = picture_files.store_upload(owner=Picture.SITE, upload=upload)
            alt = DESCRIPTIONS[card["motif"]]
            contents[url]["picture"] = picture_entry(picture=picture, alt=alt)
    names = [link_cards.name_of_picture(content=content) for content in contents.values()]
    Picture.objects.filter(name__in=names).update(post=Picture.LINK_CARD)
    link_cards.insert_cards(contents=contents, fresh_until=now + timedelta(days=365), now=now)
    for stored_card in link_cards.cards_of(urls=contents):
        link_cards.copy_to_posts(card=stored_card)
        yield 1
