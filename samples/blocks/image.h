/* The input: a disk image full of text. */
#ifndef IMAGE_H
#define IMAGE_H

enum { BLOCK_BYTES = 60000 };

/* Returns an image of COUNT blocks of BLOCK_BYTES each; the caller frees it. */
unsigned char *image_read(int count);

#endif
