/*
 * The same functions, but never inlined: when a compiler writes a profile, it does not inline code without
 * counters into code with them. So the build that reads the profile must not inline it either, or the
 * regions' control flow would differ. Inserted above the stub.
 */
__attribute__((__noinline__)) static const char *aa_begin(const char *descriptor, long *site);
__attribute__((__noinline__)) static void aa_leave(const char *const *descriptor);
