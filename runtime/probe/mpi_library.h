/*
 * The MPI library of this process, and the basis of all wrappers.
 *
 * The probe library is also preloaded into shells and launchers, so it is not linked to an MPI library. Weak
 * symbols would not help, because they stay unresolved if a program loads MPI late and privately, as Python
 * does. The PMPI functions are therefore looked up once, in the MPI library that the process has loaded.
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

/*
 * Convert handles between Fortran and C. If handles are numbers, MPI has macros for this, except for files.
 */
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
    _Atomic bool bound; /* whether the pointers below are set */
    /* whether calls count: from the return of MPI_Init to the call of MPI_Finalize, and while sessions are
     * open */
    _Atomic bool live;
    /* whether MPI_Init has returned and MPI_Finalize has not been called */
    _Atomic bool in_world;
    /* MPI_COMM_WORLD, MPI_COMM_NULL, MPI_BYTE, MPI_NO_OP, MPI_INFO_NULL: in some libraries these are
     * addresses of objects */
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
 * The functions that this library's MPI_X calls: the next MPI_X if another wrapping library has one (a tool
 * that is linked to the program or preloaded), otherwise the MPI library's function.
 */
extern struct aa_mpi_next { AA_MPI_FUNCTIONS(AA_MPI_POINTER) } aa_mpi_next;

/*
 * Looks up all functions; ends the process if they are not found. caller: the return address of the current
 * call.
 */
void aa_mpi_bind(const void *caller);

/*
 * Looks up all functions like aa_mpi_bind, but returns false if no MPI library is loaded, because the Fortran
 * names may come from a stub for serial programs.
 */
bool aa_mpi_bind_if_any(const void *caller);

/* Returns whether a function is in the MPI library for which this library was built. */
bool aa_mpi_defines(const void *function);

/* Returns whether a call failed because its buffer was too short for the received message. */
bool aa_mpi_truncated(int result);

/*
 * Returns whether this process took part in a call with this result. It also took part if its buffer was too
 * short, because the call may have succeeded on the other processes.
 */
static inline bool aa_mpi_took_part(int result) {
    return __builtin_expect(result == MPI_SUCCESS, true) || aa_mpi_truncated(result);
}

/* Returns whether the functions have been looked up. */
static inline bool aa_mpi_is_bound(void) {
    return __builtin_expect(atomic_load_explicit(&aa_mpi.bound, memory_order_acquire), true);
}

/* Prints an error and ends the process, because a call cannot be passed on to the MPI library. */
_Noreturn void aa_mpi_stop(const char *what);

/*
 * The frame of this thread's outermost MPI call, the only call that counts; NULL outside MPI. I/O inside MPI
 * does not count as the program's. A new call whose frame is not below this frame shows that a jump, for
 * example from an error handler, has left the outermost call.
 */
extern _Thread_local const void *aa_mpi_outermost;

#define AA_IN_CALLERS_FRAME static inline __attribute__((always_inline))

/* Returns whether a call in the wrapper's own frame is an outermost call. */
AA_IN_CALLERS_FRAME bool aa_mpi_is_outermost(void) {
    return aa_mpi_outermost == NULL || (const void *)__builtin_frame_address(0) >= aa_mpi_outermost;
}

/*
 * The region that was entered for the outermost call, and must be left at its end. NULL if there is none,
 * because calls inside the program's own regions have no region of their own.
 */
extern _Thread_local const char *aa_mpi_region;

/* Ends the outermost call, because a jump has left it. */
void aa_mpi_leave(void);

/*
 * Ends the outermost call if a jump has left it, so that the current function's frame is not below the
 * call's.
 */
static inline void aa_mpi_end_left_above(const void *frame) {
    if (__builtin_expect(aa_mpi_outermost != NULL, false) && frame >= aa_mpi_outermost)
        aa_mpi_leave();
}

/* Ends the outermost call if a jump has left it, so that the caller's frame is not below the call's. */
AA_IN_CALLERS_FRAME void aa_mpi_end_left(void) {
    aa_mpi_end_left_above(__builtin_frame_address(0));
}

/* A call between aa_mpi_begin and aa_mpi_end. */
struct aa_mpi_call {
    bool outermost;
    bool counts;
    bool timed;
};

#define AA_MPI_DESCRIPTOR(name) AA_DESCRIPTOR_VERSION "|mpi|MPI_" name "|||0|0|0"

/* The region for a call outside the program's regions, as in programs without probes. */
struct aa_mpi_region {
    const char *descriptor; /* NULL: none */
    const void *returns_to;
};

#define AA_MPI_REGION_OF(name, caller) ((struct aa_mpi_region){AA_MPI_DESCRIPTOR(name), caller})
#define AA_MPI_REGION(name) AA_MPI_REGION_OF(name, __builtin_return_address(0))

/*
 * Begins a call in the wrapper with this frame. share: an enum aa_share with flags. Because there are
 * hundreds of wrappers, neither this function nor aa_mpi_end is inline.
 */
struct aa_mpi_call aa_mpi_begin_in(const void *frame, uint32_t share, struct aa_mpi_region region);

/* Begins a call in the wrapper's own frame. From now on, instructions count as MPI's. */
AA_IN_CALLERS_FRAME struct aa_mpi_call aa_mpi_begin(enum aa_share share, struct aa_mpi_region region) {
    return aa_mpi_begin_in(__builtin_frame_address(0), share | AA_IN_MPI, region);
}

void aa_mpi_end(struct aa_mpi_call call);

/* ---- a wrapper, under both names of its function */

#define AA_UNPACK(...) __VA_ARGS__
#define AA_AND_UNPACK(...) , ##__VA_ARGS__

/*
 * Defines MPI_X and PMPI_X; their body follows, in which *next is the function to which the call is passed
 * on. `passes`: the condition under which PMPI_X only passes the call on. If programs call PMPI_X in their
 * own wrappers, the call counts. If MPI libraries call PMPI_X inside a call, or tools inside MPI_X, the call
 * does not count. In both cases, PMPI_X ends with a jump, so that the called function returns to the program.
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
