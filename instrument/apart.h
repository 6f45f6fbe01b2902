/*
 * Declares the stub's functions as never inlined; inserted above the stub. When a compiler writes a
 * profile, it does not inline code without counters into code with counters. The build that reads the
 * profile must therefore not inline the stub either, or the regions' control flow would differ.
 */
__attribute__((__noinline__)) static const char *aa_begin(const char *descriptor, long *site);
__attribute__((__noinline__)) static void aa_leave(const char *const *descriptor);
