"""Create the HTML page with the verdict, three trees, the source, and further tabs."""

from .assembly import Subject, page_of
from .dataset import Dataset, dataset_of
from .document import Page, page_html
from .time_lines import Recording, TimeLines, time_lines_of
from .time_marks import Entries, Interval, Line, TimeMarks, Warping

__all__ = [
    "Dataset",
    "Entries",
    "Interval",
    "Line",
    "Page",
    "Recording",
    "Subject",
    "TimeLines",
    "TimeMarks",
    "Warping",
    "dataset_of",
    "page_html",
    "page_of",
    "time_lines_of",
]
