/*
 * Declares the stub's functions as never inlined; inserted above the stub in builds that read a profile.
 * When a compiler inserts profile counters, it does not inline functions without counters, such as those of
 * the stub. The build that reads the profile must not inline these functions either, or the control flow
 * would differ.
 */
__attribute__((__noinline__)) static const char *aa_begin(const char *descriptor, long *site);
__attribute__((__noinline__)) static void aa_leave(const char *const *descriptor);
