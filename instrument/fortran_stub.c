/*
 * What an instrumented Fortran object brings along: probes that do nothing until the probe library is
 * preloaded.
 *
 * Fortran can define neither weak nor hidden symbols, so this is compiled to assembly and assembled together
 * with what the compiler makes of the source. The names differ from those of stub.h, which may be in the same
 * text. Descriptors end in a null character; Fortran passes their length behind them, which nobody reads.
 */
typedef void aa_probe(const char *);

extern void *dlsym(void *, const char *) __attribute__((__weak__));
extern char *dlerror(void) __attribute__((__weak__));

static void aa_fortran_ignore(const char *descriptor) {
    (void)descriptor;
}

static aa_probe *aa_fortran_enter = aa_fortran_ignore;
static aa_probe *aa_fortran_exit = aa_fortran_ignore;
static aa_probe *aa_fortran_resync = aa_fortran_ignore;

/* The symbol by which Fortran calls it. */
#ifndef AA_NAME
#define AA_NAME(name) name##_
#endif
#define AA_STUB __attribute__((__weak__, __visibility__("hidden"))) void

AA_STUB AA_NAME(aa_enter)(const char *descriptor) {
    aa_fortran_enter(descriptor);
}

AA_STUB AA_NAME(aa_exit)(const char *descriptor) {
    aa_fortran_exit(descriptor);
}

AA_STUB AA_NAME(aa_resync)(const char *descriptor) {
    aa_fortran_resync(descriptor);
}

/* What else compilers make of these names, by their options: all of them, where one cannot be told. */
#ifdef AA_ALL_NAMES
#define AA_ALSO(also, name)                                                                                  \
    extern __typeof__(name) also __attribute__((__weak__, __visibility__("hidden"), __alias__(#name)))
AA_ALSO(aa_enter, aa_enter_);
AA_ALSO(aa_enter__, aa_enter_);
AA_ALSO(AA_ENTER, aa_enter_);
AA_ALSO(AA_ENTER_, aa_enter_);
AA_ALSO(aa_exit, aa_exit_);
AA_ALSO(aa_exit__, aa_exit_);
AA_ALSO(AA_EXIT, aa_exit_);
AA_ALSO(AA_EXIT_, aa_exit_);
AA_ALSO(aa_resync, aa_resync_);
AA_ALSO(aa_resync__, aa_resync_);
AA_ALSO(AA_RESYNC, aa_resync_);
AA_ALSO(AA_RESYNC_, aa_resync_);
#endif

/* Of all objects' stubs the linker keeps one, but every object connects its own. */
__attribute__((__constructor__(101))) static void aa_fortran_connect(void) {
    void *enter;
    void *leave;
    void *resync;
    if (!dlsym)
        return;
    enter = dlsym((void *)0, "aa_probe_enter");
    leave = dlsym((void *)0, "aa_probe_exit_or_pass");
    resync = dlsym((void *)0, "aa_probe_resync");
    if (enter && leave) {
        aa_fortran_enter = (aa_probe *)enter;
        aa_fortran_exit = (aa_probe *)leave;
        if (resync)
            aa_fortran_resync = (aa_probe *)resync;
    }
    if (!(enter && leave && resync) && dlerror)
        dlerror(); /* or the program would take our failure for one of its own */
}
