"""Judge runs of one program with different numbers of ranks: how it scales, and what stops it."""

from .losses import NOT_EXPLAINED, ScalingLoss
from .models import Model
from .predictions import Prediction
from .scaling import Scaling, find_scaling
from .series import Series, series_of

__all__ = [
    "NOT_EXPLAINED",
    "Model",
    "Prediction",
    "Scaling",
    "ScalingLoss",
    "Series",
    "find_scaling",
    "series_of",
]
