/*
 * Declares the stub's functions as never inlined; inserted above the stub in builds that read a profile.
 * When compilers insert a profile's counters, they do not inline functions without counters, such as the
 * stub's. The build that reads the profile must not inline them either, or the control flow would differ.
 */
__attribute__((__noinline__)) static const char *aa_begin(const char *descriptor, long *site);
__attribute__((__noinline__)) static void aa_leave(const char *const *descriptor);
