/*
 * Enters a region in the code of a program, where each thread has its own site; returns the value to pass
 * to aa_leave. If the library has stored a number in the site, that many further entries of the thread are
 * only counted, without a call. The asm statement hides the result from the optimiser, which would otherwise
 * make a copy of the region for each value. Inserted below the stub.
 */
__attribute__((__unused__, __no_instrument_function__,
               __no_profile_instrument_function__)) static __inline__ const char *
aa_begin(const char *descriptor, long *site) {
    const char *entered = (const char *)0;
    if (__builtin_expect(--*site < 0, 0))
        entered = aa_enter_counted(descriptor, site);
    __asm__("" : "+r"(entered));
    return entered;
}
