"""The amounts of data: for full runs, and for quick runs that only show that every stage works."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """The amounts of data of all stages. The first five belong to ``speed``."""

    recipients: int = 1000
    posts: int = 150
    pairs: int = 5
    warm_up_posts: int = 20
    rival_entries: int = 0
    """Minimum number of entries in each inbox of a rival design. Inboxes have up to 50 more entries.

    0 means full inboxes. The inboxes of the default strategy are always full, so a small number favours the
    rivals.
    """

    audiences: tuple[int, ...] = (1000, 10_000, 100_000)
    audience_deliveries: int = 200_000
    """Deliveries to each of these audiences, but at least two posts."""

    followed: int = 1000
    posts_per_author: int = 6
    page_viewers: int = 10
    page_samples: int = 200

    volume_recipients: int = 2500
    volume_deliveries: tuple[int, ...] = (100_000, 1_000_000, 3_000_000)
    """Numbers of deliveries after which the growing data is measured.

    Each post is delivered to a third of the recipients. Old entries are dropped beyond a thousand per
    recipient, so the last figure describes the steady state.
    """

    cold_cache_mib: int = 64
    cold_posts: int = 25
    cold_rounds: int = 5
    cold_pages: int = 200

    followers: tuple[int, ...] = (10, 10_000, 1_000_000)
    graph_samples: int = 50

    admin_posts: int = 200_000
    admin_samples: int = 20

    minute_subjects: int = 10_000
    minute_events: int = 1_000_000
    minute_reads: int = 200

    demo_people: int = 1000
    demo_posts: int = 10_000
    large_demo_posts: int = 100_000
    http_samples: int = 60
    against_people: int = 300
    against_posts: int = 3000
    against_samples: int = 40
    http_rounds: int = 5
    http_calls: int = 100


FULL = Sizes()
QUICK = Sizes(
    posts=8,
    pairs=3,
    warm_up_posts=4,
    rival_entries=50,
    audiences=(1000, 3000),
    audience_deliveries=3000,
    posts_per_author=2,
    page_viewers=2,
    page_samples=6,
    volume_recipients=600,
    volume_deliveries=(10_000, 30_000),
    cold_cache_mib=8,
    cold_posts=5,
    cold_rounds=3,
    cold_pages=40,
    followers=(10, 1000, 10_000),
    graph_samples=10,
    admin_posts=2000,
    admin_samples=3,
    minute_subjects=200,
    minute_events=5000,
    minute_reads=6,
    demo_people=60,
    demo_posts=600,
    large_demo_posts=1200,
    http_samples=3,
    against_people=60,
    against_posts=600,
    against_samples=2,
    http_rounds=1,
    http_calls=8,
)
