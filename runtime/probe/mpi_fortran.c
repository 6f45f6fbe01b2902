#define _GNU_SOURCE
#include "mpi_fortran.h"

#include <dlfcn.h>

/*
 * Constants that are known by their address. Open MPI keeps them in common blocks, MPICH in objects for
 * mpi_f08, and for mpif.h in common blocks whose addresses it notes in variables when Fortran calls first.
 */
#define CONSTANTS 4

struct constant {
    const char *object_names[CONSTANTS], *variable_names[CONSTANTS];
    const void *objects[CONSTANTS], *const *variables[CONSTANTS];
};

static struct {
    bool bound;
    struct constant in_place, ignored;
} fortran = {
    .in_place = {.object_names = {"mpi_fortran_in_place_", "MPIR_F08_MPI_IN_PLACE"},
                 .variable_names = {"MPIR_F_MPI_IN_PLACE"}},
    .ignored = {.object_names = {"mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_",
                                 "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"},
                .variable_names = {"MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE"}},
};

/* Of all copies the one that counts is the program's, or the caller's, if that is loaded privately. */
static void *data_symbol(const void *caller, const char *name) {
    void *data = dlsym(RTLD_DEFAULT, name);
    dlerror();
    return data != NULL ? data : aa_symbol_near(caller, name);
}

static void bind_constant(struct constant *constant, const void *caller) {
    for (int i = 0; i < CONSTANTS; i++) {
        if (constant->object_names[i] != NULL)
            constant->objects[i] = data_symbol(caller, constant->object_names[i]);
        if (constant->variable_names[i] != NULL)
            constant->variables[i] = data_symbol(caller, constant->variable_names[i]);
    }
}

static bool is_constant(const struct constant *constant, const void *address) {
    for (int i = 0; i < CONSTANTS; i++)
        if (address != NULL && (address == constant->objects[i] ||
                                (constant->variables[i] != NULL && address == *constant->variables[i])))
            return true;
    return false;
}

/* Asking whether MPI is initialised is allowed at any time, and a call from Fortran. */
static void bind_to(const void *function, const void *caller) {
    MPI_Fint flag = 0, error = MPI_SUCCESS;
    void (*initialized)(MPI_Fint *, MPI_Fint *) = aa_symbol_near(function, "mpi_initialized_");
    if (initialized != NULL)
        initialized(&flag, &error);
    bind_constant(&fortran.in_place, caller);
    bind_constant(&fortran.ignored, caller);
    fortran.bound = true;
}

void *aa_fortran_next(const char *symbol, const void *caller) {
    void *function = aa_symbol_next(symbol, caller);
    if (function == NULL)
        aa_mpi_stop("the Fortran part of the MPI library is not found");
    if (!fortran.bound)
        bind_to(function, caller);
    return function;
}

const void *aa_fortran_buffer(const void *argument, bool described) {
    const void *address = described ? *(void *const *)argument : argument;
    return is_constant(&fortran.in_place, address) ? MPI_IN_PLACE : address;
}

bool aa_fortran_ignores(const void *status) {
    return is_constant(&fortran.ignored, status);
}

const MPI_Status *aa_fortran_status(const void *status, MPI_Status *room) {
    aa_mpi.Status_f2c(status, room);
    return room;
}
