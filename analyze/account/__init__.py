"""The account: what every second of every region on every rank went into."""

from .account import Account, find_account

__all__ = ["Account", "find_account"]
