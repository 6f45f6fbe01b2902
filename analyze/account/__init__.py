"""The account: how each region on each rank spent its wall time."""

from .account import Account, find_account

__all__ = ["Account", "find_account"]
