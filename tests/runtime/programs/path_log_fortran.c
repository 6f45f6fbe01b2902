/* The functions of Fortran that the NAS benchmarks call, for Open MPI. All arguments are addresses, including the
 * error. */
#include "path_log.h"

#define FORTRAN_REQUEST (1ll << 62)
#define FORTRAN(name, parameters)                                                                            \
    static void (*next)(parameters);                                                                         \
    if (!next)                                                                                               \
        next = (void (*)(parameters))(uintptr_t)dlsym(RTLD_NEXT, #name);

typedef MPI_Fint *F;

static int64_t fortran_request(MPI_Fint handle) {
    return FORTRAN_REQUEST | (int64_t)(uint32_t)handle;
}

void mpi_init_(F error) {
    FORTRAN(mpi_init_, LIST(F))
    next(error);
    begin();
}

void mpi_finalize_(F error) {
    FORTRAN(mpi_finalize_, LIST(F))
    end();
    next(error);
}

void mpi_send_(void *buf, F count, F type, F dest, F tag, F comm, F error) {
    FORTRAN(mpi_send_, LIST(void *, F, F, F, F, F, F))
    next(buf, count, type, dest, tag, comm, error);
    sent(PMPI_Comm_f2c(*comm), *dest, *tag);
}

void mpi_isend_(void *buf, F count, F type, F dest, F tag, F comm, F request, F error) {
    FORTRAN(mpi_isend_, LIST(void *, F, F, F, F, F, F, F))
    next(buf, count, type, dest, tag, comm, request, error);
    sent(PMPI_Comm_f2c(*comm), *dest, *tag);
}

void mpi_recv_(void *buf, F count, F type, F source, F tag, F comm, F status, F error) {
    FORTRAN(mpi_recv_, LIST(void *, F, F, F, F, F, F, F))
    struct request request = {1, PMPI_Comm_f2c(*comm), RECEIVED, *source, *tag, next_number(), false};
    next(buf, count, type, source, tag, comm, status, error);
    complete(request, (const MPI_Status *)status); /* MPI_SOURCE and MPI_TAG come first in both languages */
}

void mpi_irecv_(void *buf, F count, F type, F source, F tag, F comm, F request, F error) {
    FORTRAN(mpi_irecv_, LIST(void *, F, F, F, F, F, F, F))
    int64_t number = next_number();
    MPI_Comm known = PMPI_Comm_f2c(*comm);
    next(buf, count, type, source, tag, comm, request, error);
    put((struct request){fortran_request(*request), known, RECEIVED, *source, *tag, number, false});
}

void mpi_wait_(F handle, F status, F error) {
    FORTRAN(mpi_wait_, LIST(F, F, F))
    struct request *known = find(fortran_request(*handle)), request = known ? *known : (struct request){0};
    if (known)
        known->handle = 0;
    next(handle, status, error);
    complete(request, (const MPI_Status *)status);
}

#define FORTRAN_COLLECTIVE(name, who, root, types, parameters, names)                                        \
    void name(parameters) {                                                                                  \
        FORTRAN(name, LIST(types))                                                                           \
        next(names);                                                                                         \
        MPI_Comm known = PMPI_Comm_f2c(*comm);                                                               \
        met(known, who, root);                                                                               \
    }
FORTRAN_COLLECTIVE(mpi_barrier_, 'e', 0, LIST(F, F), LIST(F comm, F error), LIST(comm, error))
FORTRAN_COLLECTIVE(mpi_bcast_, 'f', *root, LIST(void *, F, F, F, F, F),
                   LIST(void *buf, F count, F type, F root, F comm, F error),
                   LIST(buf, count, type, root, comm, error))
FORTRAN_COLLECTIVE(mpi_reduce_, 't', *root, LIST(void *, void *, F, F, F, F, F, F),
                   LIST(void *in, void *out, F count, F type, F op, F root, F comm, F error),
                   LIST(in, out, count, type, op, root, comm, error))
FORTRAN_COLLECTIVE(mpi_allreduce_, 'e', 0, LIST(void *, void *, F, F, F, F, F),
                   LIST(void *in, void *out, F count, F type, F op, F comm, F error),
                   LIST(in, out, count, type, op, comm, error))
FORTRAN_COLLECTIVE(mpi_comm_split_, 'e', 0, LIST(F, F, F, F, F),
                   LIST(F comm, F colour, F key, F made, F error), LIST(comm, colour, key, made, error))
