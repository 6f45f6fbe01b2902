"""The report: one page that shows a verdict, three trees, the source, and what there is beside them."""

from .assembly import Subject, page_of
from .dataset import Dataset, dataset_of
from .document import Page, page_html

__all__ = ["Dataset", "Page", "Subject", "dataset_of", "page_html", "page_of"]
