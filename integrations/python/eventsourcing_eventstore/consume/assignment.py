"""Which partition has the events of a key, and which member has a partition: the same in every language."""

from collections.abc import Sequence


def assigned(members: Sequence[str], partitions: int) -> list[str]:
    """The member of each partition. All have nearly the same number, and few move when a member joins or leaves."""
    most = -(-partitions // len(members))
    counts = dict.fromkeys(members, 0)
    owners: list[str] = []
    for index in range(partitions):
        free = [member for member in members if counts[member] < most]
        best = max(free, key=lambda member: (_hash_of(f"{index} {member}"), member))
        counts[best] += 1
        owners.append(best)
    return owners


def partition_of(key: str, partitions: int) -> int:
    return _hash_of(key) % partitions


def _hash_of(text: str) -> int:
    """FNV-1a of the UTF-8 bytes, with a final mix, since similar texts would have similar hashes."""
    mixed = 0x811C9DC5
    for byte in text.encode():
        mixed = (mixed ^ byte) * 0x01000193 & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    return mixed ^ mixed >> 13
