"""Arguments that are one item, or several."""

from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


def list_of(one_or_more: _T | Sequence[_T]) -> list[_T]:
    return list(one_or_more) if isinstance(one_or_more, list | tuple) else [one_or_more]  # type: ignore[list-item]
