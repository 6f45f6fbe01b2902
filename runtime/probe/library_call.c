#define _GNU_SOURCE
#include "book.h"
#include "counter.h"
#include "probe.h"
#include "self.h"
#include "site.h"
#include "throttle.h"

bool aa_is_outside_regions(void) {
    const struct aa_thread *thread = aa_thread_self;
    return thread && thread->current->parent == 0 && thread->call.depth == 0;
}

static void go_on_with(struct aa_thread *thread, uint32_t share) {
    uint64_t before = thread->last;
    aa_sites_close(thread);
    aa_counter_stop();
    aa_counter_turn(thread, share);
    aa_book(thread);
    if (thread->call.share != AA_OWN)
        aa_throttle_leave_out(thread, thread->last - before);
    thread->call.share = share;
    aa_counter_go();
}

/* Ends the outermost call or statement, and all calls inside it. */
static void go_back_to(struct aa_thread *thread, uint16_t statements) {
    thread->call.depth = thread->call.statements = statements;
    go_on_with(thread, statements ? AA_IO : AA_OWN);
}

bool aa_share_begin(uint32_t share) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread || thread->call.depth++ != thread->call.statements)
        return false;
    go_on_with(thread, share);
    return true;
}

void aa_share_turn_to(uint32_t share) {
    if (aa_thread_self)
        go_on_with(aa_thread_self, share);
}

void aa_share_end(bool outermost) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread || thread->call.depth == thread->call.statements)
        return;
    thread->call.depth--;
    if (outermost)
        go_back_to(thread, thread->call.statements);
}

void aa_share_leave(void) {
    struct aa_thread *thread = aa_thread_self;
    if (thread && thread->call.depth != thread->call.statements)
        go_back_to(thread, thread->call.statements);
}

bool aa_statement_begin(void) {
    if (!aa_share_begin(AA_IO))
        return false;
    aa_thread_self->call.statements++;
    return true;
}

void aa_statement_end(void) {
    struct aa_thread *thread = aa_thread_self;
    if (thread && thread->call.statements)
        go_back_to(thread, thread->call.statements - 1);
}

void aa_count_mpi(uint64_t calls, uint64_t sent, uint64_t received) {
    struct aa_thread *thread = aa_thread_self;
    if (thread) {
        thread->current->mpi_calls += calls;
        thread->current->mpi_sent += sent;
        thread->current->mpi_received += received;
    }
}

void aa_count_io(uint64_t calls, uint64_t read, uint64_t written) {
    struct aa_thread *thread = aa_thread_self;
    if (thread) {
        thread->current->io_calls += calls;
        thread->current->io_read += read;
        thread->current->io_written += written;
    }
}
