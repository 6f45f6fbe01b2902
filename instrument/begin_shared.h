/*
 * Enters a region in code that may be in a shared library, where access to a thread-local variable needs a
 * call; returns the value to pass to aa_leave. There is one site for all threads, but only the main thread
 * counts entries in it; all other threads call the library. These threads are recognised by their stacks,
 * which are not in the 64 MiB below the top of the main thread's stack. Inserted below the stub.
 */
__attribute__((__unused__, __no_instrument_function__,
               __no_profile_instrument_function__)) static __inline__ const char *
aa_begin(const char *descriptor, long *site) {
    const char *entered = (const char *)0;
    char here;
    if (__builtin_expect(aa_entry_probe != 0, 1)) {
        if (__builtin_expect((unsigned long)*aa_stack - (unsigned long)&here >= 1ul << 26, 0) ||
            __builtin_expect(--*site < 0, 0))
            entered = aa_enter_counted(descriptor, site);
    }
    __asm__("" : "+r"(entered));
    return entered;
}
