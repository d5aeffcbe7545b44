"""Links between documents, and the format of the decision notes."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NOTES = sorted(ROOT.glob("docs/decisions/[0-9]*.md"))
SECTIONS = ["Context", "Decision", "Evidence", "Consequences"]


def anchors(page):
    """Return the anchors of the headings of a page, as GitHub builds them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:|mailto:|/", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_decision_notes_are_numbered_without_gaps():
    assert [note.name[:4] for note in NOTES] == [
        f"{number:04}" for number in range(1, len(NOTES) + 1)
    ]


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name[:4])
def test_a_decision_note_has_a_status_and_sections_in_order(note):
    title, empty, status, *rest = note.read_text().splitlines()
    assert title.startswith(f"# {note.name[:4]}: ")
    assert not empty
    sections = [line.removeprefix("## ") for line in rest if line.startswith("## ")]
    assert sections == [name for name in SECTIONS if name in sections]
    if status == "Status: accepted":
        assert {"Context", "Decision"} <= set(sections)
    else:
        assert re.fullmatch(
            r"Status: (withdrawn|replaced by \[\d{4}\]\(\d{4}-[\w-]+\.md\))", status
        )
        index = ROOT.joinpath("docs/decisions/README.md").read_text()
        assert f"[{note.name[:4]}]({note.name})" in index
