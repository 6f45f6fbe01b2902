/*
 * The cost of memory: a small block that is allocated and freed; a page that is touched for the first time
 * and freed.
 */
#ifndef AA_PAGES_H
#define AA_PAGES_H

#include "work.h"

enum { AA_PAGE_WORKS = 3 };

/* Fills in the works and returns their number: huge pages are not available everywhere. */
int aa_pages(struct aa_work works[AA_PAGE_WORKS]);

#endif
