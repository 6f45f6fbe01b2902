/*
 * Input and output statements of programs compiled with gfortran. Most of their time is spent on formatting,
 * so all time from the beginning to the end of a statement counts as I/O time. The wrappers of read and write
 * count the bytes when the run-time library flushes its buffers. If a statement evaluates functions of the
 * program, their regions, MPI calls and statements are recorded separately.
 */
#define _GNU_SOURCE
#include "io_files.h"
#include "symbol.h"

#include <stdint.h>
#include <stdlib.h>

/* The beginning of the structure that the compiler passes to the run-time library. */
struct statement {
    int32_t flags;
    int32_t unit;
};

#define INTERNAL_UNIT (1 << 14) /* flag of a statement that reads or writes a variable */

typedef void run_time(struct statement *statement);

#define NESTED 8

/*
 * The statements that this thread is executing, each nested in the output list of the previous one. They are
 * identified by the variables that the compiler creates for them; with inlined functions, all these variables
 * may be in one stack frame, in any order.
 */
static _Thread_local struct {
    int count;
    struct open_statement {
        const struct statement *statement;
        int32_t unit;
        bool timed;
    } at[NESTED];
} open AA_INITIAL_EXEC;

static void check(const void *function, const void *caller) {
    (void)caller;
    if (function == NULL)
        abort(); /* impossible, because the loader would not have loaded the program */
}

static bool is_on_file(int32_t unit, run_time *library) {
    int (*descriptor)(const int32_t *unit) = AA_NEXT("_gfortran_fnum_i4", library, check);
    return aa_io_is_file(descriptor(&unit));
}

/* Returns the index of an open statement; if the statement is not open, the number of open statements. */
static int place_of(const struct statement *statement) {
    int place = 0;
    while (place < open.count && open.at[place].statement != statement)
        place++;
    return place;
}

/* Forgets statements that a jump has left: those deeper on the stack, and any with the same variable. */
static void forget_left(const struct statement *statement, const void *frame) {
    open.count = place_of(statement);
    while (open.count > 0 && (const void *)open.at[open.count - 1].statement < frame)
        open.count--;
}

/*
 * Returns the open statement on a unit; null if there is none. An outer statement is still open on its unit
 * while the output procedure of a derived type runs.
 */
static const struct open_statement *holder_of(int32_t unit) {
    for (int i = 0; i < open.count; i++)
        if (open.at[i].unit == unit)
            return &open.at[i];
    return NULL;
}

/*
 * Returns whether the time of a statement counts. The run-time library must not be queried about a unit
 * that an open statement has locked.
 */
static bool is_to_be_timed(const struct statement *statement, run_time *library) {
    if (!aa_io_listens() || statement->flags & INTERNAL_UNIT)
        return false;
    const struct open_statement *holder = holder_of(statement->unit);
    return holder != NULL ? holder->timed : is_on_file(statement->unit, library);
}

static void begin(struct statement *statement, run_time *next) {
    forget_left(statement, __builtin_frame_address(0));
    bool known = open.count < NESTED;
    bool timed = known && is_to_be_timed(statement, next) && aa_statement_begin();
    next(statement);
    if (known) /* in this version, internal units also have numbers */
        open.at[open.count++] = (struct open_statement){statement, statement->unit, timed};
}

static void end(struct statement *statement, run_time *next) {
    next(statement);
    int place = place_of(statement);
    if (place == open.count)
        return;
    open.count = place;
    if (open.at[place].timed)
        aa_statement_end();
}

#define STATEMENT(name, step)                                                                                \
    AA_EXPORT void name(struct statement *statement) {                                                       \
        step(statement, AA_NEXT(#name, __builtin_return_address(0), check));                                 \
    }

STATEMENT(_gfortran_st_write, begin)
STATEMENT(_gfortran_st_write_done, end)
STATEMENT(_gfortran_st_read, begin)
STATEMENT(_gfortran_st_read_done, end)
