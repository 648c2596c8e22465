"""The model's tokens as bytes, sorted, so that those which fit a constraint are found without trying all."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from appliance.language_model.matcher import Matcher, State


class Vocabulary:
    """All tokens that are text. Control tokens are not in it and so can never be written."""

    def __init__(self, pieces: Sequence[bytes], ends: frozenset[int]) -> None:
        """``pieces``: bytes by token id, empty for tokens that are no text; ``ends``: ids that end a text."""
        order = sorted((piece, token) for token, piece in enumerate(pieces) if piece and token not in ends)
        self._sorted = [piece for piece, _ in order]
        self._ids = [token for _, token in order]
        self.pieces = pieces
        self.ends = ends

    def allowed(self, matcher: Matcher, state: State) -> dict[int, State]:
        """Each token whose bytes may come next, with the state that it leads to.

        The bytes that the matcher allows are followed through the sorted tokens, narrowing the range at
        each byte: the work depends on how many bytes are allowed, not on the size of the vocabulary.
        """
        found: dict[int, State] = {}
        open_ranges = [(state, b"", 0, len(self._sorted))]
        while open_ranges:
            current, prefix, low, high = open_ranges.pop()
            for byte, following in matcher.steps(current).items():
                grown = prefix + bytes((byte,))
                first = bisect_left(self._sorted, grown, low, high)
                last = (
                    high
                    if byte == 0xFF
                    else bisect_left(self._sorted, prefix + bytes((byte + 1,)), first, high)
                )
                if first == last:
                    continue
                for index in range(first, last):
                    if self._sorted[index] != grown:
                        break
                    found[self._ids[index]] = following
                open_ranges.append((following, grown, first, last))
        return found
