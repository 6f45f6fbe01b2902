/*
 * A guard: the object at the beginning of a region in C++ code. Its constructor enters the region, and its
 * destructor leaves the region on every way out, including exceptions. Inserted below the stub, in every
 * instrumented translation unit, and hidden like the stub. The front end replaces AA_CONSTEXPR and
 * AA_WHEN_RUN, because since C++20 a function with a guard may also run at compile time.
 */
extern "C" __attribute__((__weak__, __visibility__("hidden"), __no_instrument_function__,
                          __no_profile_instrument_function__, __nothrow__)) void
aa_exit(const char *descriptor) {
    aa_exit_probe(descriptor);
}

struct __attribute__((__visibility__("hidden"))) aa_guard {
    const char *descriptor;
    __attribute__((__no_instrument_function__)) AA_CONSTEXPR explicit aa_guard(const char *text, long *site)
        : descriptor(0) {
        AA_WHEN_RUN descriptor = aa_begin(text, site);
    }
    __attribute__((__no_instrument_function__)) AA_CONSTEXPR ~aa_guard() {
        if (descriptor)
            AA_WHEN_RUN aa_exit(descriptor);
    }
};

/*
 * A guard for a region whose declarations are visible after it: close() leaves the region before the
 * enclosing block ends.
 */
struct __attribute__((__visibility__("hidden"))) aa_open_guard : aa_guard {
    __attribute__((__no_instrument_function__))
    AA_CONSTEXPR explicit aa_open_guard(const char *text, long *site)
        : aa_guard(text, site) {}
    __attribute__((__no_instrument_function__)) AA_CONSTEXPR void close() {
        if (descriptor)
            AA_WHEN_RUN aa_exit(descriptor);
        descriptor = 0;
    }
};
