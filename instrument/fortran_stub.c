/*
 * The stub in every instrumented Fortran object: probes that do nothing until the probe library is
 * preloaded.
 *
 * Fortran can define neither weak nor hidden symbols, so this source is compiled to assembly and assembled
 * together with the compiler's output. Its names differ from those in stub.h, because one assembly may
 * contain both. The length that Fortran passes after a descriptor is not used, because descriptors end in a
 * null character.
 */
typedef void aa_probe(const char *);
struct aa_slot;
typedef void aa_entering(const char *, struct aa_slot *);

extern void *dlsym(void *, const char *) __attribute__((__weak__));
extern char *dlerror(void) __attribute__((__weak__));

static void aa_fortran_ignore(const char *descriptor) {
    (void)descriptor;
}

static aa_probe *aa_fortran_exit = aa_fortran_ignore;
static aa_probe *aa_fortran_resync = aa_fortran_ignore;

/* The symbol under which Fortran calls a probe. */
#ifndef AA_NAME
#define AA_NAME(name) name##_
#endif
#define AA_STUB __attribute__((__weak__, __visibility__("hidden"))) void

/*
 * Compilers other than GNU's may pass a copy of a constant, on the stack. But a descriptor's address is the
 * key of its region, so the probes pass a copy that lives as long as the process. The copy is found by the
 * return address of the call, and by the text if the compiler merged several calls into one.
 */
#ifdef AA_COPIES
#define AA_BUCKETS 8192 /* a power of 2 */

struct aa_copy {
    struct aa_copy *next;
    void *place;
    __SIZE_TYPE__ size; /* bytes of the text, including its null character */
    char text[1];
};

extern void *malloc(__SIZE_TYPE__);
extern void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void free(void *);
/* a hash table, allocated on first use, because every object has this variable */
static struct aa_copy **aa_copies;

/*
 * Returns whether two texts are equal. Inline and without calls, because counting runs exclude the stubs'
 * instructions by the names of the probes.
 */
__attribute__((__always_inline__)) static __inline__ int aa_equal(const char *text, __SIZE_TYPE__ size,
                                                                  const char *other) {
    unsigned long word, other_word;
    for (; size >= sizeof word; size -= sizeof word, text += sizeof word, other += sizeof word) {
        __builtin_memcpy(&word, text, sizeof word);
        __builtin_memcpy(&other_word, other, sizeof word);
        if (word != other_word)
            return 0;
    }
    while (size && *text == *other)
        --size, ++text, ++other;
    return !size;
}

__attribute__((__always_inline__)) static __inline__ const char *aa_lasting(const char *descriptor,
                                                                            void *place) {
    struct aa_copy **copies = __atomic_load_n(&aa_copies, __ATOMIC_ACQUIRE);
    struct aa_copy **bucket;
    struct aa_copy *first;
    struct aa_copy *copy;
    __SIZE_TYPE__ size;
    if (!copies) {
        struct aa_copy **made = (struct aa_copy **)calloc(AA_BUCKETS, sizeof *made);
        if (!made)
            return descriptor;
        if (__atomic_compare_exchange_n(&aa_copies, &copies, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            copies = made;
        else
            free(made);
    }
    bucket = &copies[((unsigned long)place ^ (unsigned long)place >> 13) & (AA_BUCKETS - 1)];
    first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    for (copy = first; copy; copy = copy->next)
        if (copy->place == place && aa_equal(copy->text, copy->size, descriptor))
            return copy->text;
    size = __builtin_strlen(descriptor) + 1;
    copy = (struct aa_copy *)malloc(sizeof *copy + size);
    if (!copy)
        return descriptor;
    __builtin_memcpy(copy->text, descriptor, size);
    copy->size = size;
    copy->place = place;
    copy->next = first;
    while (!__atomic_compare_exchange_n(bucket, &copy->next, copy, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return copy->text;
}
#define AA_PASS(probe, descriptor)                                                                           \
    do {                                                                                                     \
        if (probe != aa_fortran_ignore)                                                                      \
            probe(aa_lasting(descriptor, __builtin_return_address(0)));                                      \
    } while (0)

static aa_probe *aa_fortran_enter = aa_fortran_ignore;

AA_STUB AA_NAME(aa_enter)(const char *descriptor) {
    AA_PASS(aa_fortran_enter, descriptor);
}

AA_STUB AA_NAME(aa_exit)(const char *descriptor) {
    AA_PASS(aa_fortran_exit, descriptor);
}
#else
#define AA_PASS(probe, descriptor) probe(descriptor)

/*
 * Slots are for call paths whose entries need only be counted; each contains the address of the number of
 * visits. A Fortran probe has no variable of its own, so it finds its slot by the addresses of its descriptor
 * and of the thread's current node. Only the main thread, which is recognised by its stack, has slots; other
 * threads do not read them, because the main thread often writes there. While a slot is valid, the region is
 * throttled below the current node, so its exits need no call either.
 */
#define AA_SLOTS 256 /* a power of 2 */

static struct aa_slot {
    const char *descriptor;
    const void *node;
    unsigned long *visits;
    unsigned generation, since;
} aa_slots[AA_SLOTS];
static const struct aa_main {
    const char *stack;
    const struct {
        const void *node;
        unsigned long last, top, due;
        unsigned share; /* 0: the program's own code */
    } * place;
    unsigned generation;
} aa_no_main, *aa_fortran_main = &aa_no_main;

static void aa_fortran_ignore_entry(const char *descriptor, struct aa_slot *slot) {
    (void)descriptor;
    (void)slot;
}

static aa_entering *aa_fortran_enter = aa_fortran_ignore_entry;

/*
 * The region that the main thread entered last, if its entry was only counted; null after any other event.
 * Most throttled regions enter no others, so this makes most of their exits cheap.
 */
static union {
    const char *descriptor;
    char line[64]; /* nothing that other threads read is in the same cache line */
} aa_counted __attribute__((__aligned__(64)));

__attribute__((__always_inline__)) static __inline__ int
aa_is_main_thread(const struct aa_main *main_thread) {
    char here;
    return (unsigned long)main_thread->stack - (unsigned long)&here < 1ul << 26;
}

/*
 * Returns the slot for an entry by the main thread. A slot has 32 bytes; compilers align long constants, such
 * as descriptors, to 32 bytes; and nodes are aligned to 64 bytes.
 */
__attribute__((__always_inline__)) static __inline__ struct aa_slot *aa_slot_of(const char *descriptor,
                                                                                const void *node) {
    unsigned long offset =
        ((unsigned long)descriptor ^ (unsigned long)node / 2) & (AA_SLOTS - 1) * sizeof(struct aa_slot);
    return (struct aa_slot *)((char *)aa_slots + offset);
}

__attribute__((__always_inline__)) static __inline__ int aa_only_counts(const struct aa_slot *slot,
                                                                        const char *descriptor,
                                                                        const void *node,
                                                                        const struct aa_main *main_thread) {
    return slot->descriptor == descriptor && slot->node == node &&
           slot->generation == main_thread->generation && !main_thread->place->share;
}

/*
 * For throttled regions, the library is called for five of every 4096 visits, those whose number modulo 4096
 * is at most 4: it times four visits, and ends the sample at the fifth.
 */
AA_STUB AA_NAME(aa_enter)(const char *descriptor) {
    const struct aa_main *main_thread = aa_fortran_main;
    struct aa_slot *slot = (struct aa_slot *)0;
    if (aa_is_main_thread(main_thread)) {
        const void *node = main_thread->place->node;
        unsigned long *visits;
        slot = aa_slot_of(descriptor, node);
        visits = slot->visits;
        __asm__ volatile("" : : : "memory"); /* read first, because a signal handler may reuse the slot */
        if (aa_only_counts(slot, descriptor, node, main_thread) && (*visits + 1) % 4096 > 4) {
            /* read again, because the handler may have counted a visit */
            __asm__ volatile("" : : : "memory");
            ++*visits;
            aa_counted.descriptor = descriptor;
            return;
        }
        aa_counted.descriptor = (const char *)0;
    }
    aa_fortran_enter(descriptor, slot);
    if (!slot &&
        aa_is_main_thread(aa_fortran_main)) /* has become the main thread, for example in a fork's child */
        aa_counted.descriptor = (const char *)0;
}

AA_STUB AA_NAME(aa_exit)(const char *descriptor) {
    const struct aa_main *main_thread = aa_fortran_main;
    if (aa_is_main_thread(main_thread)) {
        const char *counted = aa_counted.descriptor;
        const void *node;
        aa_counted.descriptor = (const char *)0;
        if (counted == descriptor)
            return;
        node = main_thread->place->node;
        if (aa_only_counts(aa_slot_of(descriptor, node), descriptor, node, main_thread))
            return;
    }
    aa_fortran_exit(descriptor);
}
#endif

AA_STUB AA_NAME(aa_resync)(const char *descriptor) {
    AA_PASS(aa_fortran_resync, descriptor);
}

/*
 * The other symbols to which compilers convert these names, depending on their options. Defined only if it
 * is unknown which symbols the compiler uses.
 */
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

/*
 * Finds the probe library. The linker keeps only one of the objects' stubs, but every object runs its own
 * constructor.
 */
__attribute__((__constructor__(101))) static void aa_fortran_connect(void) {
    void *enter;
    void *leave;
    void *resync;
#ifndef AA_COPIES
    void *main_thread;
#endif
    if (!dlsym)
        return;
    leave = dlsym((void *)0, "aa_probe_exit_or_pass");
    resync = dlsym((void *)0, "aa_probe_resync");
#ifdef AA_COPIES
    enter = dlsym((void *)0, "aa_probe_enter");
    if (enter && leave && resync)
        aa_fortran_enter = (aa_probe *)enter;
#else
    main_thread = dlsym((void *)0, "aa_probe_main");
    enter = main_thread ? dlsym((void *)0, "aa_probe_enter_in_slot") : (void *)0;
    if (enter && leave && resync) {
        aa_fortran_enter = (aa_entering *)enter;
        aa_fortran_main = (const struct aa_main *)main_thread;
    }
#endif
    if (enter && leave && resync) {
        aa_fortran_exit = (aa_probe *)leave;
        aa_fortran_resync = (aa_probe *)resync;
    } else if (dlerror) {
        dlerror(); /* otherwise dlerror would report our failure to the program */
    }
}
