/*
 * What C++ puts around a region: constructed where it is entered, destroyed on each way out, exceptions
 * included. It stands below the stub, in every instrumented translation unit, and is hidden as the stub is.
 * AA_CONSTEXPR and AA_WHEN_RUN are filled in: from C++20 on what holds a guard may still run at compile time.
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

/* Around what declares something that lives on: it closes before the block ends that it stands in. */
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
