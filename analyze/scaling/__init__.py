"""Judge runs of one program with different numbers of ranks: how the program scales, and what limits scaling."""

from .comparison import LossChange, ScalingComparison, compare_scaling
from .losses import NOT_EXPLAINED, ScalingLoss
from .messages import KeptMessages
from .models import Model
from .predictions import Prediction
from .scaling import Mode, Scaling, find_scaling
from .series import Series, series_of
from .trends import Curve, curves, ledgers

__all__ = [
    "NOT_EXPLAINED",
    "Curve",
    "KeptMessages",
    "LossChange",
    "Mode",
    "Model",
    "Prediction",
    "Scaling",
    "ScalingComparison",
    "ScalingLoss",
    "Series",
    "compare_scaling",
    "curves",
    "find_scaling",
    "ledgers",
    "series_of",
]
