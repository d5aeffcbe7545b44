"""Messages to alice, one of the users with log-ins: three conversations, of which one is unread."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.utils import timezone

from feed import attributes, signals
from feed.models import Post
from feed.store import bulk, conversations
from feed.store.comment_rows import NewComment

from .personas import ALICE, FIXED_PERSONAS
from .plan import DemoSpec, Plan
from .planned_posts import planned_id

AGES = (timedelta(hours=50), timedelta(hours=27), timedelta(hours=9))
ANSWER_DELAY = timedelta(minutes=17)

CONVERSATIONS = (
    (
        "@alice are you coming to the market on Saturday? I can save you a bag of quinces.",
        ("Yes! I will be there at ten. Shall I bring jars?", "Please. The wide ones."),
    ),
    (
        "@alice your post about the ferry made my week. Which pier does it leave from?",
        ("The small one behind the fish hall.",),
    ),
    ("@alice I found your umbrella in my car. It is the green one, right?", ()),
)
"""The first message of each conversation and its answers, by alice and the sender in turn.

The conversation without answers is unread.
"""


def send_messages(plan: Plan, uids: Sequence[int], spec: DemoSpec) -> Iterator[int]:
    """Let users whom alice follows write to her. Safe to repeat.

    Runs before the inboxes are built, so the home timeline contains the messages.
    """
    senders = [
        user
        for user, followers in sorted(plan.followers.items())
        if ALICE in followers and plan.personas[user].language == "en"
    ]
    # Bob and carol have log-ins, so they can answer.
    senders.sort(key=lambda user: user >= len(FIXED_PERSONAS))
    for sender, age, (text, answers) in zip(senders, AGES, CONVERSATIONS, strict=False):
        at = spec.now - age
        post_id = planned_id(at=at, node=spec.node)
        uid, alice = uids[sender], uids[ALICE]
        comments = [
            (
                planned_id(at=at + ANSWER_DELAY * number, node=spec.node),
                NewComment(post=post_id, uid=uid if number % 2 == 0 else alice, text=answer),
            )
            for number, answer in enumerate(answers, 1)
        ]
        discussion = bulk.Discussion(likers=[], comments=comments)
        bulk.replace_discussions(discussions={post_id: discussion})
        if not Post.objects.filter(pk=post_id).exists():
            Post.objects.create(
                pk=post_id,
                author_id=uid,
                text=text,
                visibility=Post.Visibility.DIRECT,
                recipients=[alice],
                attributes=attributes.attributes_of(text=text),
                created_at=at,
                delivery_audience_size=1,
                delivery_state=Post.DeliveryState.DONE,
                delivery_due_at=timezone.now(),
                **discussion.post_counters(),
            )
        conversations.add_participants(post=post_id, owners=[uid, alice])
        if not answers:
            signals.post_published.send_robust(sender=None, post=post_id, author=uid)
    yield 1
