/*
 * The MPI library of this process, and the frame of every wrapper.
 *
 * The probe library is also preloaded into shells and launchers, so it is not linked to an MPI library.
 * Weak symbols would not help: if a program loads MPI late and privately, as Python does, they stay
 * unresolved. So the PMPI entry points are looked up in the loaded library itself, once.
 */
#ifndef AA_MPI_LIBRARY_H
#define AA_MPI_LIBRARY_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "call_site.h"
#include "probe.h"
#include "mpi_functions.h" /* generated: AA_MPI_FUNCTIONS, the functions of this MPI library */

/* Conversions between Fortran's and C's handles: macros if handles are numbers, except for files. */
#if !defined AA_HAS_SESSIONS || defined MPI_Session_f2c
#define AA_MPI_SESSION_HANDLES(function)
#define aa_session_f2c(handle) MPI_Session_f2c(handle)
#else
#define AA_MPI_SESSION_HANDLES(function) function(Session_f2c)
#define aa_session_f2c(handle) aa_mpi.Session_f2c(handle)
#endif

#ifdef MPI_Comm_f2c
#define AA_MPI_HANDLES(function) function(File_f2c)
#define aa_comm_f2c(handle) MPI_Comm_f2c(handle)
#define aa_type_f2c(handle) MPI_Type_f2c(handle)
#define aa_request_f2c(handle) MPI_Request_f2c(handle)
#define aa_request_c2f(handle) MPI_Request_c2f(handle)
#define aa_op_f2c(handle) MPI_Op_f2c(handle)
#define aa_group_f2c(handle) MPI_Group_f2c(handle)
#define aa_win_f2c(handle) MPI_Win_f2c(handle)
#else
#define AA_MPI_HANDLES(function)                                                                             \
    function(Comm_f2c) function(Type_f2c) function(Request_f2c) function(Request_c2f) function(Op_f2c)       \
        function(File_f2c) function(Group_f2c) function(Win_f2c)
#define aa_comm_f2c(handle) aa_mpi.Comm_f2c(handle)
#define aa_type_f2c(handle) aa_mpi.Type_f2c(handle)
#define aa_request_f2c(handle) aa_mpi.Request_f2c(handle)
#define aa_request_c2f(handle) aa_mpi.Request_c2f(handle)
#define aa_op_f2c(handle) aa_mpi.Op_f2c(handle)
#define aa_group_f2c(handle) aa_mpi.Group_f2c(handle)
#define aa_win_f2c(handle) aa_mpi.Win_f2c(handle)
#endif

#define AA_MPI_POINTER(name) __typeof__(MPI_##name) *name;

extern struct aa_mpi {
    _Atomic bool bound;    /* the pointers below are set */
    _Atomic bool live;     /* between the return of MPI_Init and the call of MPI_Finalize */
    _Atomic bool in_world; /* the same, whether or not there are sessions */
    /* MPI_COMM_WORLD, MPI_COMM_NULL, MPI_BYTE, MPI_NO_OP, MPI_INFO_NULL: in some libraries they are
     * addresses of its objects */
    MPI_Comm world;
    MPI_Comm no_comm;
    MPI_Datatype byte;
    MPI_Op no_op;
    MPI_Info no_info;
    AA_MPI_FUNCTIONS(AA_MPI_POINTER)
    AA_MPI_HANDLES(AA_MPI_POINTER)
    AA_MPI_SESSION_HANDLES(AA_MPI_POINTER)
} aa_mpi;

/*
 * The function that MPI_X of this library calls: the next MPI_X, of another wrapping library (a tool that
 * is linked to the program or preloaded), otherwise of the MPI library itself.
 */
extern struct aa_mpi_next { AA_MPI_FUNCTIONS(AA_MPI_POINTER) } aa_mpi_next;

/* Looks up all entry points for a call from there; ends the process if they are not found. */
void aa_mpi_bind(const void *caller);

/*
 * The same, but returns false if no MPI library is loaded: Fortran's names may be from a stub for serial
 * programs.
 */
bool aa_mpi_bind_if_any(const void *caller);

/* Whether a function belongs to the MPI library that this library was built for. */
bool aa_mpi_defines(const void *function);

static inline bool aa_mpi_is_bound(void) {
    return __builtin_expect(atomic_load_explicit(&aa_mpi.bound, memory_order_acquire), true);
}

/* Report an error and end the process, because a call cannot be passed on. */
_Noreturn void aa_mpi_stop(const char *what);

/*
 * The frame of this thread's outermost MPI call, the only one that counts; NULL outside MPI. I/O inside
 * MPI is not the program's. If a call's frame is not below the current one, the call was left by a jump,
 * for example by an error handler.
 */
extern _Thread_local const void *aa_mpi_outermost;

#define AA_IN_CALLERS_FRAME static inline __attribute__((always_inline))

AA_IN_CALLERS_FRAME bool aa_mpi_is_outermost(void) {
    return aa_mpi_outermost == NULL || (const void *)__builtin_frame_address(0) >= aa_mpi_outermost;
}

/* The region of the call; NULL if the call is part of another one. */
extern _Thread_local const char *aa_mpi_region;

/* Ends a call that was left by a jump. */
void aa_mpi_leave(void);

static inline void aa_mpi_end_left_above(const void *frame) {
    if (__builtin_expect(aa_mpi_outermost != NULL, false) && frame >= aa_mpi_outermost)
        aa_mpi_leave();
}

AA_IN_CALLERS_FRAME void aa_mpi_end_left(void) {
    aa_mpi_end_left_above(__builtin_frame_address(0));
}

struct aa_mpi_call {
    bool outermost;
    bool counts;
    bool timed;
};

#define AA_MPI_DESCRIPTOR(name) AA_DESCRIPTOR_VERSION "|mpi|MPI_" name "|||0|0|0"

/* The region of a call outside all regions, as in a program without probes. */
struct aa_mpi_region {
    const char *descriptor; /* NULL: none */
    const void *returns_to;
};

#define AA_MPI_REGION_OF(name, caller) ((struct aa_mpi_region){AA_MPI_DESCRIPTOR(name), caller})
#define AA_MPI_REGION(name) AA_MPI_REGION_OF(name, __builtin_return_address(0))

/*
 * Begins a call in the wrapper with this frame. Not inline, like its end, because there are hundreds of
 * wrappers.
 */
struct aa_mpi_call aa_mpi_begin_in(const void *frame, uint32_t share, struct aa_mpi_region region);

/* Begins a call in the wrapper's own frame; instructions from here on count as MPI's. */
AA_IN_CALLERS_FRAME struct aa_mpi_call aa_mpi_begin(enum aa_share share, struct aa_mpi_region region) {
    return aa_mpi_begin_in(__builtin_frame_address(0), share | AA_IN_MPI, region);
}

void aa_mpi_end(struct aa_mpi_call call);

/* ---- a wrapper, under both names of its function */

#define AA_UNPACK(...) __VA_ARGS__
#define AA_AND_UNPACK(...) , ##__VA_ARGS__

/*
 * Defines a wrapper; its body follows, in which *next is the function to pass the call to. Programs call
 * PMPI_X in their own wrappers. MPI libraries call it inside a call, and tools inside MPI_X: such a call
 * is only passed on. Both ways out of PMPI_X are jumps, so that the call returns to the program.
 */
#define AA_MPI_WRAPPER(name, passes, parameters, arguments)                                                  \
    AA_IN_CALLERS_FRAME int body_##name(__typeof__(MPI_##name) *const *next AA_AND_UNPACK parameters);       \
    static __attribute__((noinline)) int outermost_##name parameters {                                       \
        return body_##name(&aa_mpi.name AA_AND_UNPACK arguments);                                            \
    }                                                                                                        \
    AA_EXPORT int MPI_##name parameters {                                                                    \
        return body_##name(&aa_mpi_next.name AA_AND_UNPACK arguments);                                       \
    }                                                                                                        \
    AA_EXPORT int PMPI_##name parameters {                                                                   \
        if (passes)                                                                                          \
            return aa_mpi.name arguments;                                                                    \
        return outermost_##name arguments;                                                                   \
    }                                                                                                        \
    AA_IN_CALLERS_FRAME int body_##name(__typeof__(MPI_##name) *const *next AA_AND_UNPACK parameters)

#define AA_MPI_FUNCTION(name, parameters, arguments)                                                         \
    AA_MPI_WRAPPER(name, !aa_mpi_is_outermost(), parameters, arguments)

#endif
