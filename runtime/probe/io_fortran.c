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

/* The outermost statement of this thread, a variable of the function that executes it. */
static _Thread_local struct {
    const struct statement *statement;
    bool timed;
} outermost AA_INITIAL_EXEC;

static void *look_up(const char *name, const void *caller) {
    void *function = aa_symbol_next(name, caller);
    if (function == NULL)
        abort(); /* the program could not have been loaded */
    return function;
}

/* The run-time library is asked for the descriptor, while it has not locked the unit. */
static bool is_on_file(const struct statement *statement, run_time *library) {
    static int (*descriptor)(const int32_t *unit);
    if (statement->flags & INTERNAL_UNIT)
        return false;
    if (descriptor == NULL)
        descriptor = aa_symbol_near(library, "_gfortran_fnum_i4");
    return descriptor != NULL && aa_io_is_file(descriptor(&statement->unit));
}

/* The stack grows downwards: a function below the outermost statement's is called by it, or it was left by a
 * jump. */
static bool is_inner(const struct statement *statement) {
    return outermost.statement != NULL && statement < outermost.statement;
}

static void begin(struct statement *statement, run_time *next) {
    if (aa_thread_self != NULL && !is_inner(statement)) {
        outermost.statement = statement;
        outermost.timed = aa_io_listens() && is_on_file(statement, next) && aa_statement_begin();
    }
    next(statement);
}

static void end(struct statement *statement, run_time *next) {
    next(statement);
    if (outermost.statement != statement)
        return;
    outermost.statement = NULL;
    if (outermost.timed)
        aa_statement_end();
}

#define STATEMENT(name, step)                                                                                \
    AA_EXPORT void name(struct statement *statement) {                                                       \
        step(statement, AA_NEXT(look_up, #name));                                                            \
    }

STATEMENT(_gfortran_st_write, begin)
STATEMENT(_gfortran_st_write_done, end)
STATEMENT(_gfortran_st_read, begin)
STATEMENT(_gfortran_st_read_done, end)
