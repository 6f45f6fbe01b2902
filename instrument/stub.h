/*
 * The stub: probes that do nothing until the probe library is preloaded.
 *
 * The stub is inserted at the top of every instrumented translation unit, so that link commands stay
 * unchanged. All its symbols are weak and hidden, so each program or shared library keeps one copy. It is
 * written in C89 with GNU attributes, without headers, libraries or macros, because it is inserted into
 * preprocessed text. Programs without a dynamic linker never find the library.
 */
typedef void aa_probe(const char *);
typedef const char *aa_entering(const char *, long *);

/* dlsym and dlerror, under other names because the program may declare them differently. */
extern void *aa_lookup(void *, const char *) __asm__("dlsym") __attribute__((__weak__));
extern char *aa_lookup_error(void) __asm__("dlerror") __attribute__((__weak__));

__attribute__((__weak__, __visibility__("hidden"))) aa_entering *aa_entry_probe = 0;
__attribute__((__weak__, __visibility__("hidden"))) aa_probe *aa_exit_probe = 0;
/* the top of the main thread's stack */
__attribute__((__weak__, __visibility__("hidden"))) const char **aa_stack = 0;

/* 1 if no probe library was found */
__attribute__((__weak__, __visibility__("hidden"))) char aa_is_alone = 0;

/*
 * The slow path of an entry; returns the value to pass to aa_leave, or null if the region was not entered.
 * It is a separate function so that registers are saved here rather than on the fast path, and so that
 * functions with probes stay small enough to be inlined. Without a library, every 4096th entry takes the
 * slow path; before the constructor below has run, every entry does.
 */
__attribute__((__weak__, __visibility__("hidden"), __no_instrument_function__,
               __no_profile_instrument_function__, __nothrow__, __cold__, __noinline__)) const char *
aa_enter_counted(const char *descriptor, long *site) {
    if (aa_entry_probe)
        /* called here, because callers of this function rely on it to throw nothing */
        return aa_entry_probe(descriptor, site);
    if (aa_is_alone)
        *site = 4095;
    return (const char *)0;
}

__attribute__((__unused__, __no_instrument_function__,
               __no_profile_instrument_function__)) static const char *
aa_begin(const char *, long *);

/*
 * Like aa_begin, but not inlined; for regions that are seldom entered. A call costs little there, and the
 * code around it takes less time to optimise.
 */
__attribute__((__unused__, __noinline__, __no_instrument_function__,
               __no_profile_instrument_function__)) static const char *
aa_begin_apart(const char *descriptor, long *site) {
    return aa_begin(descriptor, site);
}

/* Leaves a region, usually inline; calls the library only if the region was entered rather than throttled. */
__attribute__((__unused__, __no_instrument_function__,
               __no_profile_instrument_function__)) static __inline__ void
aa_leave(const char *const *descriptor) {
    if (__builtin_expect(*descriptor != (const char *)0, 0))
        aa_exit_probe(*descriptor);
}

/* Finds the probe library. Runs once per object, each time with the same effect. */
__attribute__((__weak__, __visibility__("hidden"), __no_instrument_function__,
               __no_profile_instrument_function__, __constructor__(101))) void
aa_connect_counted(void) {
    aa_entering *enter;
    aa_probe *leave;
    const char **stack;
    if (!aa_lookup) {
        aa_is_alone = 1;
        return;
    }
    enter = __extension__(aa_entering *) aa_lookup((void *)0, "aa_probe_enter_counted");
    leave = __extension__(aa_probe *) aa_lookup((void *)0, "aa_probe_exit");
    stack = __extension__(const char **) aa_lookup((void *)0, "aa_probe_stack");
    if (enter && leave && stack) {
        aa_exit_probe = leave;
        aa_stack = stack;
        aa_entry_probe = enter;
    } else {
        aa_is_alone = 1;
        if (aa_lookup_error)
            aa_lookup_error(); /* otherwise dlerror would report our failure to the program */
    }
}
