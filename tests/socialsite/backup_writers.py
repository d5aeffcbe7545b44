"""People who post, follow and like while a backup is made: ``python -m tests.socialsite.backup_writers``.

Prints a line for each action that the site has acknowledged, until the process is killed.
"""

import sys
from itertools import count

import django

# This module is a program. Models can be imported only after ``django.setup()``, hence E402 below.
django.setup()

from accounts.models import User  # noqa: E402
from accounts.services.follows import follow_user  # noqa: E402
from tests.actions import like_post, publish_post  # noqa: E402


def main():
    author = User.objects.create_user("author", password="long enough for a test")
    for n in count():
        fan = User.objects.create_user(f"fan{n}")
        follow_user(follower=fan.pk, followee=author.pk)
        _print("follow", fan.pk)
        post_id = publish_post(author=author.pk, text=f"Post {n}", visibility="public")
        _print("post", post_id)
        like_post(post_id=post_id, actor=fan)
        _print("like", post_id)


def _print(action, number):
    sys.stdout.write(f"{action} {number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
