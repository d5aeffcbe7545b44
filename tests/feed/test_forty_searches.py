"""Forty searches that people type, and the results they expect.

The list was written before the search. Each search opens the page with results of all kinds. The first
results of a kind must be the expected ones, in this order.
"""

from io import StringIO

import pytest
from django.core.management import call_command

from accounts.models import User
from accounts.services.profiles import update_profile
from socialsite.demo import clips
from socialsite.demo.picture_pool import PicturePool
from tests.actions import publish_post
from tests.factories import UserFactory, follow
from tests.feed.demo_searches import demo_searches
from tests.worlds import world

PROFILES = {
    "alice_keller": ("Alice Keller", "Gardener in Lisbon. Tomatoes, bees and bad puns."),
    "jose.perez": ("José Pérez", "Profesor de historia. Café y libros."),
    "mkowalska": ("Małgorzata Kowalska", "Illustrator, cyclist, cat person"),
    "hanako_t": ("田中 花子", "神田の古本屋が好きです。"),
    "olga.ivanova": ("Ольга Иванова", "Фотограф из Казани"),
    "nayeon": ("김나연", "서울에서 일하는 개발자"),
    "fatima_z": ("فاطمة الزهراء", "مصورة"),
    "fiddler": ("Seán O'Brien", "Plays the fiddle in a pub in Galway"),
    "frisch": ("Max Frisch", "Architect"),
    "maxine": ("Maxine Weber", "Baker. Sourdough every Friday."),
    "jlgarcia": ("Jean-Luc García", "Trains and timetables"),
    "priya92": ("Priya Raman", "Data engineer, chess on Sundays"),
    "juergen": ("Jürgen Müller", "Lehrer und Bergsteiger"),
    "flora": ("Flora MacDonald", "Knitting, hills, tea"),
    "skjaer": ("Søren Kjær", "Sailor"),
    "jsmith": ("John Smith", "Old maps"),
    "johnny_b": ("Johnny Baker", "Sings in the bath"),
    "rosa": ("Rosa Lindqvist", "Botanist"),
    "tom": ("Tom Rose", "Reads the small print"),
    "nora": ("Nora Holm", "Librarian"),
}

POSTS = [
    ("alice_keller", "The first tomatoes of the year are ripe! #garden #tomatoes"),
    ("alice_keller", "Bees do not care about my plans for the weekend. #garden"),
    ("jose.perez", "En el café de siempre, con un libro nuevo #lectura"),
    ("hanako_t", "今日は神田の古本屋を三軒まわりました。 #古本"),
    ("nayeon", "오늘 학교에서 친구를 만났어요"),
    ("maxine", "Sourdough starter, day nine: it is alive and well-known in the street #baking"),
    ("frisch", "A new bridge for the old town, drawn in pencil #architecture"),
    ("jlgarcia", "The night train to Vienna left on time, and so did my sleep #trains"),
    ("flora", "Cold rain, warm tea. The hills can wait."),
    ("jsmith", "Found a map of the old town from 1780 #maps"),
    ("tom", "Rain again. The forecast promised a dry week."),
    ("rosa", "Linnaea borealis in bloom #botany"),
    ("juergen", "Die Straße zur Hütte ist wieder offen #berge"),
]

PEOPLE_SEARCHES = [
    # First names
    ("alice", ["alice_keller"]),
    ("jose", ["jose.perez"]),
    ("Małgorzata", ["mkowalska"]),
    ("malgorzata", ["mkowalska"]),
    ("花子", ["hanako_t"]),
    ("ольга", ["olga.ivanova"]),
    ("나연", ["nayeon"]),
    ("فاطمة", ["fatima_z"]),
    ("soren", ["skjaer"]),
    ("max", ["frisch", "maxine"]),
    ("john", ["johnny_b", "jsmith"]),  # nora follows Johnny
    # Surnames
    ("Keller", ["alice_keller"]),
    ("perez", ["jose.perez"]),
    ("o'brien", ["fiddler"]),
    ("obrien", ["fiddler"]),
    ("garcía", ["jlgarcia"]),
    ("muller", ["juergen"]),
    ("donald", ["flora"]),
    ("rose", ["tom"]),
    # Both names, and user names
    ("kowalska malgorzata", ["mkowalska"]),
    ("john smith", ["jsmith"]),
    ("@priya92", ["priya92"]),
    ("jose.perez", ["jose.perez"]),
    # One-letter typos
    ("alcie", ["alice_keller"]),
    ("keller alise", ["alice_keller"]),
    ("kowalsk", ["mkowalska"]),
    ("kowalskaa", ["mkowalska"]),
    ("lindqvst", ["rosa"]),
    ("garcya", ["jlgarcia"]),
    # Words of bios
    ("gardener", ["alice_keller"]),
    ("sourdough friday", ["maxine"]),
]

TAG_SEARCHES = [("#gard", ["garden"]), ("#tomatoes", ["tomatoes"]), ("古本", ["古本"])]

POST_SEARCHES = [
    ('"old town"', ["jsmith", "frisch"]),
    ("night train", ["jlgarcia"]),
    ("strasse", ["juergen"]),
    ("古本屋", ["hanako_t"]),
    ("rain from:flora", ["flora"]),
    ("#garden bees", ["alice_keller"]),
]

SEARCHES = [
    *(("people", *search) for search in PEOPLE_SEARCHES),
    *(("tags", *search) for search in TAG_SEARCHES),
    *(("posts", *search) for search in POST_SEARCHES),
]


@world
def searched_site() -> User:
    """Return the viewer, Nora, who follows Johnny Baker."""
    users = {}
    for username, (display_name, bio) in PROFILES.items():
        users[username] = UserFactory(username=username)
        update_profile(uid=users[username].pk, display_name=display_name, bio=bio)
    for author, text in POSTS:
        publish_post(author=users[author].pk, text=text)
    follow(users["nora"], users["johnny_b"])
    return users["nora"]


@pytest.fixture
def nora(clean_site):
    return searched_site.restore()


def test_the_list_has_forty_searches():
    assert len(SEARCHES) == 40


def find(client, kind, q):
    context = client.get("/search/", {"q": q}).context
    return {
        "people": lambda: [row.card.username for row in context["people"]],
        "tags": lambda: list(context["tags"]),
        "posts": lambda: [post.author.username for post in context["page"].posts],
    }[kind]()


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_searches_find_what_people_expect(client, nora, first):
    searches = SEARCHES[first : first + 10]
    client.force_login(nora)
    results = {q: find(client, kind, q) for kind, q, _ in searches}
    assert {
        q: results[q] if kind == "posts" else results[q][: len(expected)]
        for kind, q, expected in searches
    } == {q: expected for _, q, expected in searches}


@pytest.mark.slow
def test_forty_searches_in_the_demo_are_right(clean_site, monkeypatch):
    """The demo's texts may change, so its searches are made from its users and posts."""
    monkeypatch.setattr(PicturePool, "encode", lambda self, posts: iter(()))
    monkeypatch.setattr(PicturePool, "store_pictures", lambda self, *, post, owner: [])
    monkeypatch.setattr(clips, "can_make_clips", lambda: False)
    options = ("--people=60", "--posts=400", "--follows=500")
    call_command("seed_demo", *options, stdout=StringIO(), stderr=StringIO())
    viewer = User.objects.get(username="alice").pk
    searches = demo_searches()
    assert len(searches) == 40
    assert [search for search in searches if not search.is_right(viewer)] == []
