/* The functions of C whose calls are logged. */
#include "path_log.h"

/* Copies of requests, as they are before a call that may complete them. */
struct waiting {
    int count;
    struct request of[MOST];
    MPI_Status own[MOST], *statuses;
};

static struct waiting waiting;

static MPI_Status *look(int count, const MPI_Request *handles, MPI_Status *given) {
    bool any = false;
    waiting.count = count;
    for (int i = 0; i < count; i++) {
        struct request *request = find((int64_t)handles[i]);
        waiting.of[i] = request ? *request : (struct request){0};
        any |= request && request->kind == RECEIVED &&
               (request->peer == MPI_ANY_SOURCE || request->tag == MPI_ANY_TAG);
    }
    bool ignored = given == MPI_STATUS_IGNORE || given == MPI_STATUSES_IGNORE;
    return waiting.statuses = ignored && any ? waiting.own : given;
}

static void has(int i, int at) {
    struct request request = waiting.of[i], *known = find(request.handle);
    if (known && !known->is_kept)
        known->handle = 0;
    complete(request, &waiting.statuses[at]);
}

#define NEXT(name)                                                                                           \
    static __typeof__(name) *next;                                                                           \
    if (!next)                                                                                               \
        next = dlsym(RTLD_NEXT, #name);

int MPI_Init(int *argc, char ***argv) {
    NEXT(MPI_Init)
    int result = next(argc, argv);
    begin();
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) {
    NEXT(MPI_Init_thread)
    int result = next(argc, argv, wanted, given);
    begin();
    return result;
}

int MPI_Finalize(void) {
    NEXT(MPI_Finalize)
    end();
    return next();
}

#define SEND(name)                                                                                           \
    int name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {              \
        NEXT(name)                                                                                           \
        int result = next(buf, count, type, dest, tag, comm);                                                \
        sent(comm, dest, tag);                                                                               \
        return result;                                                                                       \
    }
SEND(MPI_Send)
SEND(MPI_Ssend)

#define ISEND(name)                                                                                          \
    int name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,                \
             MPI_Request *request) {                                                                         \
        NEXT(name)                                                                                           \
        int result = next(buf, count, type, dest, tag, comm, request);                                       \
        sent(comm, dest, tag);                                                                               \
        return result;                                                                                       \
    }
ISEND(MPI_Isend)
ISEND(MPI_Issend)

int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    NEXT(MPI_Send_init)
    int result = next(buf, count, type, dest, tag, comm, request);
    put((struct request){(int64_t)*request, comm, SENT, dest, tag, 0, true});
    return result;
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    NEXT(MPI_Recv_init)
    int result = next(buf, count, type, source, tag, comm, request);
    put((struct request){(int64_t)*request, comm, RECEIVED, source, tag, 0, true});
    return result;
}

static void started(int count, MPI_Request *handles) {
    for (int i = 0; i < count; i++) {
        struct request *request = find((int64_t)handles[i]);
        if (request && request->kind == SENT)
            sent(request->comm, request->peer, request->tag);
        else if (request)
            request->id = next_number();
    }
}

int MPI_Start(MPI_Request *request) {
    NEXT(MPI_Start)
    int result = next(request);
    started(1, request);
    return result;
}

int MPI_Startall(int count, MPI_Request handles[]) {
    NEXT(MPI_Startall)
    int result = next(count, handles);
    started(count, handles);
    return result;
}

int MPI_Request_free(MPI_Request *request) {
    NEXT(MPI_Request_free)
    struct request *known = find((int64_t)*request);
    if (known)
        known->handle = 0;
    return next(request);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
    NEXT(MPI_Recv)
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    bool any = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
    struct request request = {1, comm, RECEIVED, source, tag, next_number(), false};
    int result = next(buf, count, type, source, tag, comm, any ? used : status);
    complete(request, used);
    return result;
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request) {
    NEXT(MPI_Irecv)
    int64_t number = next_number();
    int result = next(buf, count, type, source, tag, comm, request);
    put((struct request){(int64_t)*request, comm, RECEIVED, source, tag, number, false});
    return result;
}

int MPI_Sendrecv(const void *given, int given_count, MPI_Datatype given_type, int dest, int sendtag,
                 void *taken, int taken_count, MPI_Datatype taken_type, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status) {
    NEXT(MPI_Sendrecv)
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    struct request request = {1, comm, RECEIVED, source, recvtag, next_number(), false};
    int result = next(given, given_count, given_type, dest, sendtag, taken, taken_count, taken_type, source,
                      recvtag, comm, used);
    sent(comm, dest, sendtag);
    complete(request, used);
    return result;
}

static void matched(MPI_Message message, int number, MPI_Comm comm, MPI_Status status) {
    put((struct request){~(int64_t)message, comm, RECEIVED, status.MPI_SOURCE, status.MPI_TAG, number,
                         false});
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    NEXT(MPI_Mprobe)
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = next(source, tag, comm, message, used);
    matched(*message, (int)next_number(), comm, *used);
    return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    NEXT(MPI_Improbe)
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    int result = next(source, tag, comm, flag, message, used);
    if (*flag)
        matched(*message, (int)next_number(), comm, *used);
    return result;
}

static struct request take_matched(MPI_Message message) {
    struct request *known = find(~(int64_t)message), found = *known;
    known->handle = 0;
    return found;
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    NEXT(MPI_Mrecv)
    struct request request = take_matched(*message);
    int result = next(buf, count, type, message, status);
    complete(request, NULL);
    return result;
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    NEXT(MPI_Imrecv)
    struct request known = take_matched(*message);
    int result = next(buf, count, type, message, request);
    known.handle = (int64_t)*request;
    put(known);
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    NEXT(MPI_Wait)
    int result = next(request, look(1, request, status));
    has(0, 0);
    if (status != MPI_STATUS_IGNORE)
        *status = *waiting.statuses;
    return result;
}

static void all_done(int count, MPI_Status *given) {
    for (int i = 0; i < count; i++)
        has(i, i);
    if (given != MPI_STATUSES_IGNORE && given != waiting.statuses)
        memcpy(given, waiting.statuses, (size_t)count * sizeof *given);
}

int MPI_Waitall(int count, MPI_Request handles[], MPI_Status *statuses) {
    NEXT(MPI_Waitall)
    int result = next(count, handles, look(count, handles, statuses));
    all_done(count, statuses);
    return result;
}

int MPI_Testall(int count, MPI_Request handles[], int *flag, MPI_Status *statuses) {
    NEXT(MPI_Testall)
    int result = next(count, handles, flag, look(count, handles, statuses));
    if (*flag)
        all_done(count, statuses);
    return result;
}

int MPI_Waitany(int count, MPI_Request handles[], int *index, MPI_Status *status) {
    NEXT(MPI_Waitany)
    int result = next(count, handles, index, look(count, handles, status));
    if (*index != MPI_UNDEFINED)
        has(*index, 0);
    return result;
}

int MPI_Waitsome(int count, MPI_Request handles[], int *done, int indices[], MPI_Status *statuses) {
    NEXT(MPI_Waitsome)
    int result = next(count, handles, done, indices, look(count, handles, statuses));
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)
        has(indices[i], i);
    return result;
}

/* Collectives. A letter encodes which ranks wait for which (path_log.h); then parameters and arguments follow. */
#define IN const void *in, int in_count, MPI_Datatype in_type
#define OUT void *out, int out_count, MPI_Datatype out_type
#define ARRAYS IN, OUT
#define ARRAY_NAMES in, in_count, in_type, out, out_count, out_type
#define SUMS const void *in, void *out, int count, MPI_Datatype type, MPI_Op op
#define SUM_NAMES in, out, count, type, op
#define BUFFER void *buf, int count, MPI_Datatype type
#define BUFFER_NAMES buf, count, type

#define BLOCKING(name, who, root, parameters, names)                                                         \
    int name(parameters) {                                                                                   \
        NEXT(name)                                                                                           \
        int result = next(names);                                                                            \
        met(comm, who, root);                                                                                \
        return result;                                                                                       \
    }
BLOCKING(MPI_Barrier, 'e', 0, LIST(MPI_Comm comm), comm)
BLOCKING(MPI_Allreduce, 'e', 0, LIST(SUMS, MPI_Comm comm), LIST(SUM_NAMES, comm))
BLOCKING(MPI_Allgather, 'e', 0, LIST(ARRAYS, MPI_Comm comm), LIST(ARRAY_NAMES, comm))
BLOCKING(MPI_Alltoall, 'e', 0, LIST(ARRAYS, MPI_Comm comm), LIST(ARRAY_NAMES, comm))
BLOCKING(MPI_Comm_split, 'e', 0, LIST(MPI_Comm comm, int colour, int key, MPI_Comm *made),
         LIST(comm, colour, key, made))
BLOCKING(MPI_Comm_dup, 'e', 0, LIST(MPI_Comm comm, MPI_Comm *made), LIST(comm, made))
BLOCKING(MPI_Scan, 'l', 0, LIST(SUMS, MPI_Comm comm), LIST(SUM_NAMES, comm))
BLOCKING(MPI_Bcast, 'f', root, LIST(BUFFER, int root, MPI_Comm comm), LIST(BUFFER_NAMES, root, comm))
BLOCKING(MPI_Scatter, 'f', root, LIST(ARRAYS, int root, MPI_Comm comm), LIST(ARRAY_NAMES, root, comm))
BLOCKING(MPI_Reduce, 't', root, LIST(SUMS, int root, MPI_Comm comm), LIST(SUM_NAMES, root, comm))
BLOCKING(MPI_Gather, 't', root, LIST(ARRAYS, int root, MPI_Comm comm), LIST(ARRAY_NAMES, root, comm))

#define BEGINNING(name, who, root, parameters, names)                                                        \
    int name(parameters, MPI_Request *request) {                                                             \
        NEXT(name)                                                                                           \
        int result = next(names, request);                                                                   \
        int64_t number = met_later(comm, who, root);                                                         \
        put((struct request){(int64_t)*request, comm, COMPLETED, 0, 0, number, false});                      \
        return result;                                                                                       \
    }
BEGINNING(MPI_Ibarrier, 'e', 0, LIST(MPI_Comm comm), comm)
BEGINNING(MPI_Iallreduce, 'e', 0, LIST(SUMS, MPI_Comm comm), LIST(SUM_NAMES, comm))
BEGINNING(MPI_Iscan, 'l', 0, LIST(SUMS, MPI_Comm comm), LIST(SUM_NAMES, comm))
BEGINNING(MPI_Ibcast, 'f', root, LIST(BUFFER, int root, MPI_Comm comm), LIST(BUFFER_NAMES, root, comm))
BEGINNING(MPI_Ireduce, 't', root, LIST(SUMS, int root, MPI_Comm comm), LIST(SUM_NAMES, root, comm))

int MPI_Comm_free(MPI_Comm *comm) {
    NEXT(MPI_Comm_free)
    forget(*comm);
    return next(comm);
}
