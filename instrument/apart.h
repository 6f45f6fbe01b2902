/*
 * Where a compiler writes a profile, what has no counters is not inlined into what has: so it must not be
 * where the profile is read, or the control flow of the regions is another one. Stands before the stub.
 */
__attribute__((__noinline__)) static const char *aa_begin(const char *descriptor, long *site);
__attribute__((__noinline__)) static void aa_leave(const char *const *descriptor);
