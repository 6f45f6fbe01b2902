/*
 * The cost of memory: allocating and freeing a small block; touching a page for the first time, and freeing
 * it.
 */
#ifndef AA_PAGES_H
#define AA_PAGES_H

#include "work.h"

enum { AA_PAGE_WORKS = 3 };

/* Fills in the works and returns their number, which depends on whether huge pages are available. */
int aa_pages(struct aa_work works[AA_PAGE_WORKS]);

#endif
