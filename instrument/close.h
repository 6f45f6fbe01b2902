/*
 * Leaves a region before the enclosing block ends. Called again at the end of that block, it does nothing.
 */
__attribute__((__weak__, __visibility__("hidden"), __no_instrument_function__,
               __no_profile_instrument_function__)) void
aa_close(const char **descriptor) {
    if (*descriptor)
        aa_exit_probe(*descriptor);
    *descriptor = (const char *)0;
}
