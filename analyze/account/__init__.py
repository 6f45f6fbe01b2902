"""The account: how each region on each rank spent its wall time."""

from .account import Account, find_account
from .computing import EVENTS

__all__ = ["EVENTS", "Account", "find_account"]
