"""The only door to the network. Used when installing; nothing that answers calls comes through here."""

from __future__ import annotations

import contextlib
import logging
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

log = logging.getLogger(__name__)

TIMEOUT = 30.0
"""Seconds without a byte after which a download is given up."""


@dataclass(frozen=True)
class Download:
    """An open download. ``resumed``: the server goes on at the place that was asked for."""

    stream: IO[bytes]
    resumed: bool

    def blocks(self, size: int) -> Iterator[bytes]:
        while block := self.stream.read(size):
            yield block


@contextlib.contextmanager
def download(url: str, *, start: int, purpose: str) -> Iterator[Download]:
    """Open ``url`` from byte ``start`` on; one log line says where and what for. Raises OSError."""
    if not url.startswith("https://"):
        raise OSError(f"only https is allowed, not {url}")
    log.info("outgoing request: %s, for: %s", url, purpose)
    headers = {"Range": f"bytes={start}-"} if start else {}
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        yield Download(answer, resumed=answer.status == 206)
