"""The follow graph in MongoDB: ``edges`` (who follows whom) and ``audiences`` (whom a post goes to).

Both say the same fact, for two questions; one transaction writes both (``accounts.services``).
Repositories of plain functions over PyMongo; nothing else in the app imports the driver.
"""

from . import audiences, edges


def prepare() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    edges.prepare()
    audiences.prepare()
