"""The report: one page that shows a verdict, three trees, the source, and what there is beside them."""

from .dataset import Dataset, dataset

__all__ = ["Dataset", "dataset"]
