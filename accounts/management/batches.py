"""Cuts a follow graph into pieces for ``accounts.services.add_followers``."""

from collections.abc import Iterator, Mapping, Sequence


def batches(
    *, followers: Mapping[int, Sequence[int]], uids: Sequence[int], size: int
) -> Iterator[dict[int, list[int]]]:
    """Uids of followers by followee, ``size`` follows at a time.

    ``followers``: the same as positions in ``uids``.
    """
    batch: dict[int, list[int]] = {}
    room = size
    for followee, positions in followers.items():
        done = 0
        while done < len(positions):
            part = positions[done : done + room]
            batch[uids[followee]] = [uids[position] for position in part]
            done += len(part)
            room -= len(part)
            if not room:
                yield batch
                batch, room = {}, size
    if batch:
        yield batch
