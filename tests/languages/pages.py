"""The pages that show different texts to different viewers."""

from tests.access.test_access_table import ROUTES, equal_viewer, response_in_table

VIEWERS = ("nobody", "owner", "moderator", "administrator")


def distinct_pages(viewer: str) -> list[str]:
    """Return the routes to request as this viewer.

    Left out are pages that another of ``VIEWERS`` gets as well, and all but the first of equal errors.
    """
    pages, errors = [], set()
    for name in ROUTES:
        answer = response_in_table(name, "GET", viewer)
        if equal_viewer(name, viewer) != viewer or answer in errors:
            continue
        if viewer == "administrator" and response_in_table(name, "GET", "moderator") == answer:
            continue
        if answer != "200":
            errors.add(answer)
        pages.append(name)
    return pages
