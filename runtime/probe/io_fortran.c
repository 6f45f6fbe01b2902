/*
 * Input and output statements of programs that gfortran has compiled. Most of their time goes into
 * formatting, so that it is I/O time from the beginning of a statement to its end. Bytes count where the
 * run-time library moves its buffers, by the wrappers of read and write. Functions of the program that a
 * statement evaluates have regions, MPI calls and statements of their own.
 */
#define _GNU_SOURCE
#include "io_files.h"
#include "symbol.h"

#include <stdint.h>
#include <stdlib.h>

/* How a statement begins that the compiler hands to the run-time library. */
struct statement {
    int32_t flags;
    int32_t unit;
};

#define INTERNAL_UNIT (1 << 14) /* in flags: the statement reads or writes a variable */

typedef void run_time(struct statement *statement);

#define NESTED 8

/*
 * The statements that this thread executes, each evaluated by the list of the one before. Known by the
 * variables that the compiler has made for them; where functions are inlined, all in one frame, in any order.
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
        abort(); /* the program could not have been loaded */
}

static bool is_on_file(int32_t unit, run_time *library) {
    int (*descriptor)(const int32_t *unit) = AA_NEXT("_gfortran_fnum_i4", library, check);
    return aa_io_is_file(descriptor(&unit));
}

/* The place of a statement among the open ones; their number if it is none of them. */
static int place_of(const struct statement *statement) {
    int place = 0;
    while (place < open.count && open.at[place].statement != statement)
        place++;
    return place;
}

/* Entries below on the stack were left by a jump, and so was the entry that had this statement's place. */
static void forget_left(const struct statement *statement, const void *frame) {
    open.count = place_of(statement);
    while (open.count > 0 && (const void *)open.at[open.count - 1].statement < frame)
        open.count--;
}

/* The open statement on a unit, if there is one, as where types have output of their own. */
static const struct open_statement *holder_of(int32_t unit) {
    for (int i = 0; i < open.count; i++)
        if (open.at[i].unit == unit)
            return &open.at[i];
    return NULL;
}

/* The run-time library must not be queried about a unit that it has locked. */
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
    if (known) /* now that internal units have numbers, too */
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
