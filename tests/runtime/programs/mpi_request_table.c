/* Compares the table of requests with a simple list: handles that are used twice, growth, and searches across gaps. */
#include "mpi_request_table.h"

#include <stdio.h>
#include <stdlib.h>

#define LIVE 5000
#define HANDLES 700 /* few, so that a handle is often in use several times */

static struct aa_request list[LIVE];
static int length;

/* Returns the index of a handle's latest entry that is not newer than a serial number. */
static int youngest(uint64_t handle, uint64_t as_of) {
    int best = -1;
    for (int i = 0; i < length; i++)
        if (list[i].handle == handle && list[i].serial <= as_of &&
            (best < 0 || list[i].serial > list[best].serial))
            best = i;
    return best;
}

static void check(int holds, const char *what) {
    if (!holds) {
        puts(what);
        exit(1);
    }
}

static bool is_plain(struct aa_request request) {
    return request.brings == AA_BRINGS_NOTHING && !request.persistent && !request.question;
}

/* Requests that receive nothing share one entry if no other request came between them. */
static void add(uint64_t handle, bool persistent, enum aa_brings brings) {
    struct aa_request request = {
        .handle = handle, .sent = (uint64_t)rand(), .persistent = persistent, .brings = brings};
    request.question = brings == AA_BRINGS_NOTHING && rand() % 2 ? list : NULL;
    int place = youngest(handle, UINT64_MAX);
    uint64_t before = aa_requests_now();
    aa_requests_add(request);
    request.serial = aa_requests_now();
    bool is_one_more = place >= 0 && is_plain(list[place]) && is_plain(request);
    check((request.serial == before) == is_one_more, "an entry of its own, or not");
    if (is_one_more)
        list[place].more++;
    else
        list[length++] = request;
}

static void end(int place) {
    if (list[place].more > 0)
        list[place].more--;
    else
        list[place] = list[--length];
}

static void complete(uint64_t handle, uint64_t as_of) {
    struct aa_request found;
    int place = youngest(handle, as_of);
    check(aa_requests_asks(handle, as_of) == (place >= 0 && list[place].question), "asks, or not");
    check(aa_requests_complete(handle, as_of, &found) == (place >= 0), "found, or not");
    if (place < 0)
        return;
    check(found.sent == list[place].sent && found.serial == list[place].serial, "another one");
    if (!found.persistent)
        end(place);
}

int main(void) {
    srand(1);
    check(aa_requests_none(), "empty at first");
    for (int step = 0; step < 60000; step++) {
        uint64_t handle = (uint64_t)(rand() % HANDLES) * 64;
        int choice = rand() % 8;
        if (choice < (step < 30000 ? 4 : 2) && length < LIVE)
            add(handle, rand() % 10 == 0, rand() % 3 ? AA_BRINGS_MESSAGE : AA_BRINGS_NOTHING);
        else if (choice < 7)
            complete(handle, rand() % 2 ? aa_requests_now() : aa_requests_now() * 9 / 10);
        else {
            int place = youngest(handle, UINT64_MAX);
            aa_requests_forget(handle);
            if (place >= 0)
                end(place);
        }
        check(aa_requests_none() == (length == 0), "number of entries");
    }
    while (length > 0) {
        uint64_t handle = list[0].handle;
        aa_requests_forget(handle);
        end(youngest(handle, UINT64_MAX));
    }
    check(aa_requests_none(), "empty at last");
    puts("ok");
    return 0;
}
