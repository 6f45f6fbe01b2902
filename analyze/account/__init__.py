"""The account: how the wall time of each region on each rank was spent."""

from .account import Account, find_account
from .computing import EVENTS

__all__ = ["EVENTS", "Account", "find_account"]
