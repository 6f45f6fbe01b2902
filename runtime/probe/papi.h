/* The PAPI library, loaded at run time. */
#ifndef AA_PAPI_H
#define AA_PAPI_H

#include <stdbool.h>
#include <stdint.h>

#define PAPI_OK 0
#define PAPI_NULL (-1)

/*
 * PAPI's functions without their prefix PAPI_; null until aa_papi_open. All but the first eleven may stay
 * null.
 */
extern struct aa_papi {
    int (*library_init)(int);
    int (*thread_init)(unsigned long (*)(void));
    int (*register_thread)(void);
    int (*unregister_thread)(void);
    int (*create_eventset)(int *);
    int (*add_named_event)(int, const char *);
    int (*cleanup_eventset)(int);
    int (*destroy_eventset)(int *);
    int (*start)(int);
    int (*stop)(int, long long *);
    int (*read)(int, long long *);
    int (*multiplex_init)(void);
    int (*get_component_index)(const char *);
    int (*assign_eventset_component)(int, int);
    int (*set_multiplex)(int);
    int (*num_components)(void);
    const char *(*get_component_info)(int); /* the result begins with the component's name */
    int (*disable_component)(int);
} aa_papi;

/* Loads and initialises the library; returns null, or the reason for a failure. */
const char *aa_papi_open(void);

/* Returns the flags AA_COUNTS_BY_… and the version if the library is not the system's; otherwise 0. */
uint32_t aa_papi_how(void);

/* Looks up the functions for multiplexing; returns false if any of them is missing. */
bool aa_papi_bind_multiplexing(void);

#endif
