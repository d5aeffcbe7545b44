"""Insert many posts with one command."""

from collections.abc import Iterable

from accounts.models import User
from feed import attributes
from feed.models import Post


def write_posts(posts: Iterable[tuple[User, str]]) -> list[int]:
    """Insert public posts with the attributes of their texts, without delivery or notifications.

    Args:
        posts: pairs ``(author, text)``, oldest first.

    Returns:
        The ids of the posts.
    """
    wanted = list(posts)
    attributes_by_text = {
        text: attributes.attributes_of(text=text) for text in {text for _, text in wanted}
    }
    created = Post.objects.bulk_create(
        Post(
            author=author,
            text=text,
            attributes=attributes_by_text[text],
            delivery_state=Post.DeliveryState.DONE,
        )
        for author, text in wanted
    )
    return [post.pk for post in created]
