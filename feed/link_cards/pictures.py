"""Stop serving the picture of a link card while no post shows it that moderators have not removed."""

from feed import picture_files
from feed.activities import Details
from feed.store import link_cards


def sync_picture(*, card: Details) -> None:
    """Hide or restore the files of a card's picture. Safe to repeat. One command, two if it is hidden.

    ``card``: the card as in ``Post.link_card``.
    """
    if "picture" not in card:
        return
    media = [card["picture"]]
    if not link_cards.is_shown(url=card["url"]):
        picture_files.hide_pictures(media=media)
        if not link_cards.is_shown(url=card["url"]):
            return
        # Meanwhile, another process restored or published a post with this card.
    picture_files.restore_pictures(media=media)
