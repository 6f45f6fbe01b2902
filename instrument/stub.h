/*
 * What an instrumented object brings along: probes that do nothing until the probe library is preloaded.
 *
 * This text stands at the top of every instrumented translation unit, so that nothing need be added to any
 * link line. All its symbols are weak and hidden: one copy a program or shared library remains. It is C89
 * with GNU attributes, wants neither header nor library, and uses no macro, for it is put into preprocessed
 * text. Where there is no dynamic linker the probes stay silent.
 */
typedef void aa_probe(const char *);
typedef const char *aa_entering(const char *, long *);

/* By other names, for the program may declare these in its own way. */
extern void *aa_lookup(void *, const char *) __asm__("dlsym") __attribute__((__weak__));
extern char *aa_lookup_error(void) __asm__("dlerror") __attribute__((__weak__));

__attribute__((__weak__, __visibility__("hidden"))) aa_entering *aa_entry_probe = 0;
__attribute__((__weak__, __visibility__("hidden"))) aa_probe *aa_exit_probe = 0;
__attribute__((__weak__, __visibility__("hidden"))) const char **aa_stack = 0; /* the main thread's */

__attribute__((__weak__, __visibility__("hidden"))) char aa_is_alone = 0; /* no library was found */

/*
 * What is seldom called where regions are entered often, so that what a call needs saved is saved beside the
 * code that runs often, and functions stay small enough to be compiled into their callers. Without a library
 * it is asked for again after some entries, those of what ran before the constructor below included.
 */
__attribute__((__weak__, __visibility__("hidden"), __no_instrument_function__,
               __no_profile_instrument_function__, __nothrow__, __cold__, __noinline__)) const char *
aa_enter_counted(const char *descriptor, long *site) {
    if (aa_entry_probe)
        return aa_entry_probe(descriptor, site); /* which is known not to throw, if it is called from here */
    if (aa_is_alone)
        *site = 4095;
    return (const char *)0;
}

__attribute__((__unused__, __no_instrument_function__,
               __no_profile_instrument_function__)) static const char *
aa_begin(const char *, long *);

/* For what is not entered so often that a call would matter: the code around it takes less time to optimise.
 */
__attribute__((__unused__, __noinline__, __no_instrument_function__,
               __no_profile_instrument_function__)) static const char *
aa_begin_apart(const char *descriptor, long *site) {
    return aa_begin(descriptor, site);
}

/* Mostly inline: what is throttled was not entered, and is left without a call. */
__attribute__((__unused__, __no_instrument_function__,
               __no_profile_instrument_function__)) static __inline__ void
aa_leave(const char *const *descriptor) {
    if (__builtin_expect(*descriptor != (const char *)0, 0))
        aa_exit_probe(*descriptor);
}

/* Runs once an object, and does the same each time. */
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
            aa_lookup_error(); /* or the program would take our failure for one of its own */
    }
}
