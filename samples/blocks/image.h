/* What is compressed: a disk image full of text. */
#ifndef IMAGE_H
#define IMAGE_H

enum { BLOCK_BYTES = 60000 };

/* An image of COUNT blocks of BLOCK_BYTES each, for free(). */
unsigned char *image_read(int count);

#endif
