#define _GNU_SOURCE
#include "mpi_fortran.h"

#include <dlfcn.h>

enum constant { IN_PLACE, IGNORED };

/*
 * Constants that are recognised by their addresses. In Open MPI, they are in common blocks. In MPICH, they
 * are objects for mpi_f08. For mpif.h, MPICH has common blocks whose addresses it stores in variables at
 * the first call from Fortran, which must be MPI_Init in Intel MPI.
 */
static struct {
    enum constant constant;
    const char *name;
    bool is_noted;
    const void *_Atomic address;
} constants[] = {
    {.constant = IN_PLACE, .name = "mpi_fortran_in_place_"},
    {.constant = IN_PLACE, .name = "MPIR_F08_MPI_IN_PLACE"},
    {.constant = IN_PLACE, .name = "MPIR_F_MPI_IN_PLACE", .is_noted = true},
    {.constant = IGNORED, .name = "mpi_fortran_status_ignore_"},
    {.constant = IGNORED, .name = "mpi_fortran_statuses_ignore_"},
    {.constant = IGNORED, .name = "MPIR_F08_MPI_STATUS_IGNORE_OBJ"},
    {.constant = IGNORED, .name = "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"},
    {.constant = IGNORED, .name = "MPI_F_STATUS_IGNORE", .is_noted = true},
    {.constant = IGNORED, .name = "MPI_F_STATUSES_IGNORE", .is_noted = true},
};

#define CONSTANTS (sizeof constants / sizeof constants[0])

static _Atomic bool constants_found;

/*
 * Finds the addresses. If there are several copies of a constant, the program uses the copy in its
 * executable. But a caller that was loaded privately uses the copy in its own library.
 */
static void find_constants(const void *caller) {
    bool all_noted = true;
    for (size_t i = 0; i < CONSTANTS; i++) {
        const void *data = aa_symbol_find(RTLD_DEFAULT, constants[i].name, caller);
        const void *address = data != NULL && constants[i].is_noted ? *(const void *const *)data : data;
        constants[i].address = address;
        all_noted = all_noted && (data == NULL || address != NULL);
    }
    atomic_store_explicit(&constants_found, all_noted, memory_order_release);
}

static bool is_constant(enum constant constant, const void *address) {
    for (size_t i = 0; i < CONSTANTS; i++)
        if (address != NULL && constants[i].constant == constant && constants[i].address == address)
            return true;
    return false;
}

/* Calls MPI_Initialized, which is allowed at any time, so that there has been a call from Fortran. */
static void call_first(const void *function) {
    MPI_Fint flag = 0, error = MPI_SUCCESS;
    void (*initialized)(MPI_Fint *, MPI_Fint *) = aa_symbol_near(function, "mpi_initialized_");
    if (initialized != NULL)
        initialized(&flag, &error);
}

static void check(const void *function, const void *caller) {
    if (function == NULL)
        aa_mpi_stop("the Fortran part of the MPI library was not found");
    if (!aa_mpi_bind_if_any(caller) || atomic_load_explicit(&constants_found, memory_order_acquire))
        return;
    call_first(function);
    find_constants(caller);
}

void *aa_fortran_next(struct aa_fortran_form *form, const void *caller) {
    void *next = atomic_load_explicit(&form->known, memory_order_acquire);
    return next != NULL ? next : aa_symbol_next(&form->known, form->name, caller, check);
}

const void *aa_fortran_buffer(const void *argument, const struct aa_fortran_form *form) {
    const void *address = form->language == AA_FORTRAN_2018 ? *(void *const *)argument : argument;
    return is_constant(IN_PLACE, address) ? MPI_IN_PLACE : address;
}

bool aa_fortran_ignores(const void *status) {
    return is_constant(IGNORED, status);
}

const MPI_Status *aa_fortran_status(const void *status, MPI_Status *room) {
    if (aa_mpi.Status_f2c(status, room) != MPI_SUCCESS)
        *room = (MPI_Status){0};
    return room;
}
