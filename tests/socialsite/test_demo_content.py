"""The content of the demo: valid texts, pictures with descriptions, and a full first page."""

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from random import Random

from django.conf import settings
from PIL import Image

from accounts.forms import PlainTextField, SingleLineField
from accounts.infra.ids import time_of
from feed.activities import activity_kind
from feed.models import MAX_ALT_TEXT, MAX_CONTENT_WARNING, MAX_PICTURES, MAX_TEXT_LENGTH
from feed.picture_files import LARGE_PIXELS
from socialsite.demo.languages import load_front_page, load_languages
from socialsite.demo.motifs import DESCRIPTIONS, FOLDER, HEADER_COUNT, SCENES
from socialsite.demo.personas import ALICE, FIXED_PERSONAS
from socialsite.demo.plan import Plan, make_plan
from socialsite.demo.planned_posts import DemoSpec, PlannedPost

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
PAGE_SIZE = 20


@cache
def plan_for(*, users: int = 300, posts: int = 3000, seed: int = 1) -> Plan:
    return make_plan(spec=DemoSpec(users, 10 * users, posts, seed, NOON, 7, has_clips=True))


CHANGING_DETAILS = ("ends_at", "counts", "voters", "is_end_pending")
"""The details of a poll that depend on its votes and on the time."""


def written_posts(plan: Plan) -> list[PlannedPost]:
    return [post for post in plan.posts if post.share_of is None]


def first_page_of_alice(plan: Plan) -> list[PlannedPost]:
    followed = {uid for uid, followers in plan.followers.items() if ALICE in followers}
    return [post for post in reversed(plan.posts) if post.author in {ALICE, *followed}][:PAGE_SIZE]


def test_a_seed_gives_the_same_posts_and_comments():
    make_again = plan_for.__wrapped__
    first = plan_for(users=60, posts=400)
    assert make_again(users=60, posts=400) == first
    assert make_again(users=60, posts=400, seed=2).posts != first.posts


def test_a_change_to_the_number_of_users_leaves_the_first_users_as_they_are():
    assert plan_for(users=50, posts=0).personas == plan_for(users=300).personas[:50]


def test_every_picture_has_a_valid_description():
    for name, alt in DESCRIPTIONS.items():
        assert PlainTextField(max_length=MAX_ALT_TEXT).clean(alt) == alt
        assert 20 < len(alt) < 200, name
        assert alt.endswith("."), name
        with Image.open(FOLDER / f"{name}.webp") as picture:
            assert picture.width * picture.height <= LARGE_PIXELS, name


def test_the_pictures_are_small_and_none_is_lacking():
    files = list(FOLDER.glob("*.webp"))
    assert sum(file.stat().st_size for file in files) < 4_000_000
    assert set(DESCRIPTIONS) <= {file.stem for file in files}
    assert set(SCENES.values()) == {3}
    for persona in FIXED_PERSONAS:
        assert (FOLDER / f"portrait-{persona.username}.webp").exists()
    for number in range(HEADER_COUNT):
        assert (FOLDER / f"header-{number}.webp").exists()


def test_a_third_of_the_posts_have_one_to_four_pictures():
    posts = written_posts(plan_for())
    counts = [len(post.motifs) for post in posts if post.motifs]
    assert 0.3 < len(counts) / len(posts) < 0.4
    assert set(counts) == set(range(1, MAX_PICTURES + 1))
    assert all(len(set(post.motifs)) == len(post.motifs) for post in posts)
    assert any(post.motifs and post.content_warning for post in posts)


def test_the_site_accepts_every_text():
    plan = plan_for()
    text_field = PlainTextField(max_length=MAX_TEXT_LENGTH, required=False)
    warning_field = SingleLineField(max_length=MAX_CONTENT_WARNING, required=False)
    for post in written_posts(plan):
        for text in (post.text, post.text_before_edit, *(c.text for c in post.discussion.comments)):
            assert text_field.clean(text) == text
        assert warning_field.clean(post.content_warning) == post.content_warning
        kind = activity_kind(post.kind)
        values = {"duration": 300, **kind.field_values(post.details)}
        values = {name: field.clean(values.get(name)) for name, field in kind.fields.items()}
        details = kind.clean_details(values)
        if kind.name == "poll":
            assert len(post.voters) == len(details["choices"])
            details |= {name: post.details[name] for name in CHANGING_DETAILS}
        assert details == post.details
    for persona in plan.personas:
        assert PlainTextField(max_length=500, required=False).clean(persona.bio) == persona.bio


def test_every_gap_and_scene_of_the_texts_exists():
    chance = Random(1)
    values = {"friend": "alice", "link": "https://example.org/"}
    for language in load_languages().values():
        for topic in language.topics.values():
            for entry in chain.from_iterable(topic.entries.values()):
                filled = language.fill_entry(entry, chance, values)
                lines = [filled.text, *filled.fields, *(line.text for line in filled.script)]
                assert not [line for line in lines if set("{}|") & set(line)]
                assert set(entry.scenes) <= set(SCENES)
    names = {persona.username for persona in FIXED_PERSONAS}
    for author, _topic, entry in load_front_page():
        assert author in {*names, "somebody"}
        assert {line.speaker for line in entry.script} <= {*names, *"ABCD"}
        assert set(entry.scenes) <= set(SCENES)


def test_there_are_many_conversations():
    english = load_languages()["en"].topics.values()
    notes = [entry for topic in english for entry in topic.entries["note"]]
    assert sum(len(entry.script) >= 3 for entry in notes) >= 40
    assert sum(not entry.script for entry in notes) >= 150


def test_no_text_is_repeated():
    plan = plan_for(users=300, posts=3000)
    texts = [post.text for post in written_posts(plan)]
    assert len(set(texts)) > 0.99 * len(texts)
    newest = [text[:30] for text in texts[-200:] if text]
    assert len(set(newest)) > 0.9 * len(newest)


def test_users_write_about_the_topics_of_their_bios():
    plan, languages = plan_for(), load_languages()
    bios = [persona for persona in plan.personas[len(FIXED_PERSONAS) :] if "#" in persona.bio]
    assert len(bios) > 50
    for persona in bios:
        topics = languages[persona.language].topics
        hashtags = {tag for topic in persona.topics[:2] for tag in topics[topic].hashtags}
        assert {word for word in persona.bio.split() if word.startswith("#")} <= hashtags


def test_comments_shares_and_edits_follow_their_post():
    plan = plan_for()
    published_at = {post.id: post.published_at for post in plan.posts}
    for post in plan.posts:
        moments = [time_of(id=comment.id) for comment in post.discussion.comments]
        assert moments == sorted(moments)
        assert all(post.published_at <= moment < NOON for moment in moments)
        if post.edited_at is not None:
            assert post.published_at < post.edited_at < NOON
            assert post.text_before_edit not in ("", post.text)
        if post.share_of is not None:
            assert published_at[post.share_of] < post.published_at
    shares = [post.share_of for post in plan.posts if post.share_of is not None]
    assert 0.02 < len(shares) / len(plan.posts) < 0.08
    assert {post.id: post.share_count for post in plan.posts if post.share_count} == {
        shared: shares.count(shared) for shared in shares
    }


def test_the_home_of_alice_begins_with_every_kind_of_post():
    page = first_page_of_alice(plan_for(users=60, posts=400))
    assert {post.kind for post in page} == {"note", "link", "review", "poll", "share"}
    assert {1, 2, 3, 4} <= {len(post.motifs) for post in page}
    assert any(post.content_warning for post in page)
    assert any(post.edited_at for post in page)
    assert sum(post.quote_of is not None for post in page) == 2
    assert sorted(post.clip for post in page if post.clip) == ["audio", "video"]
    private_comments = [c for post in page for c in post.discussion.comments if c.recipients]
    assert [comment.recipients for comment in private_comments] == [(ALICE,)]
    assert any(len(post.discussion.comments) > 4 for post in page)
    assert any("#" in post.text for post in page)
    assert any("@bob" in post.text for post in page)
    authors = [post.author for post in page]
    assert any(len(set(authors[n : n + 4])) == 1 for n in range(len(authors) - 3))  # a folded run
    ages = [NOON - post.published_at for post in page]
    assert timedelta(minutes=1) < min(ages) < timedelta(minutes=5)
    assert timedelta(hours=2) < max(ages)


def test_a_demo_without_clips_has_the_same_number_of_posts():
    spec = DemoSpec(60, 600, 400, 1, NOON, 7)
    assert len(make_plan(spec=spec).posts) == 400
    assert not any(post.clip for post in make_plan(spec=spec).posts)


def test_the_readme_opens_with_small_described_screenshots():
    opening = (settings.BASE_DIR / "README.md").read_text().partition("\n## ")[0]
    pictures = re.findall(r'<img src="([^"]+)" width="\d+" alt="[^"]{40,}">', opening)
    assert pictures == ["docs/img/desktop.png", "docs/img/phone.png"]
    for path in pictures:
        assert (settings.BASE_DIR / path).stat().st_size <= 120_000


def test_a_small_demo_has_no_front_page():
    assert len(plan_for(users=30, posts=30).posts) == 30
    page_texts = {entry.text for _, _, entry in load_front_page()}
    assert not page_texts & {post.text for post in plan_for(users=30, posts=30).posts if post.text}
