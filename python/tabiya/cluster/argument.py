"""Types of arguments, which reject invalid values before anything starts."""

from __future__ import annotations

import argparse
import ipaddress
import math
from collections.abc import Callable


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A whole number within limits."""
    limits = f"at least {least}" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f'a whole number {limits}, not "{text}"')
        return number

    return read


PORT = whole(0, 65_535)

# Plies, as the index counts them.
PLIES = whole(0, 65_535)


def seconds(text: str) -> float:
    """A positive, finite time."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f'seconds, more than 0, not "{text}"')
    return number


def address(text: str) -> str:
    """The address of an interface of this machine."""
    if text == "localhost":
        return "127.0.0.1"
    try:
        return str(ipaddress.ip_address(text.strip("[]")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f'an IP address, such as 127.0.0.1 or 0.0.0.0 for all, not "{text}"'
        ) from None


def url(text: str) -> str:
    """The address of a server."""
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(
            f'an address that begins with http:// or https://, not "{text}"'
        )
    return text
