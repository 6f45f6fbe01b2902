/* What memory takes: a block that is allocated and freed; a page that is touched for the first time, and
 * given back. */
#ifndef AA_PAGES_H
#define AA_PAGES_H

#include "work.h"

enum { AA_PAGE_WORKS = 3 };

/* Fills in both; returns how many there are: huge pages are not given everywhere. */
int aa_pages(struct aa_work works[AA_PAGE_WORKS]);

#endif
