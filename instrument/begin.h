/*
 * Enters a region of a program, whose site each thread has for itself. Where the library has put a number
 * into it, so many entries of the thread only count, and call nobody. What is entered is kept from the
 * optimiser, or it makes a copy of the region for each answer. Stands below the stub.
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
