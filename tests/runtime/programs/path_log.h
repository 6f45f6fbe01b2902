/* The functions in path_log.c that log the calls of C (path_log_c.c) and of Fortran (path_log_fortran.c). */
#ifndef PATH_LOG_H
#define PATH_LOG_H
#define _GNU_SOURCE

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LIST(...) __VA_ARGS__ /* several arguments as one argument of a macro */
#define MOST 8192 /* maximum number of requests, of nodes, and of communicators */

enum kind { SENT = 1, RECEIVED, COLLECTIVE, BEGUN, COMPLETED, COMMUNICATOR };

struct request {
    int64_t handle; /* of C, or of Fortran with a bit; 0: free */
    MPI_Comm comm;
    enum kind kind;
    int peer, tag;
    int64_t id;
    bool is_kept; /* persistent */
};

/* MPI begins; it is about to end. */
void begin(void);
void end(void);

/* A message is about to be sent. */
void sent(MPI_Comm comm, int peer, int tag);

/* A collective. A letter encodes which members wait for which: e, each for each; f, each for the root; t, the root for
 * each; l, each for those with lower ranks. A non-blocking collective that has begun has a number. */
void met(MPI_Comm comm, int who, int root);
int64_t met_later(MPI_Comm comm, int who, int root);

/* Receives have numbers in the order in which they are posted. */
int64_t next_number(void);
void put(struct request request);
struct request *find(int64_t handle);
void complete(struct request request, const MPI_Status *status);
void forget(MPI_Comm comm);

#endif
