/*
 * What C++ puts around a region: constructed where it is entered, destroyed on each way out, exceptions
 * included. It stands below the stub, in every instrumented translation unit, and is hidden as the stub is.
 */
struct __attribute__((__visibility__("hidden"))) aa_guard {
    const char *const descriptor;
    __attribute__((__no_instrument_function__)) explicit aa_guard(const char *text) : descriptor(text) {
        aa_enter(text);
    }
    __attribute__((__no_instrument_function__)) ~aa_guard() { aa_exit(descriptor); }
};
