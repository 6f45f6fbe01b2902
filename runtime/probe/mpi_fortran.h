/*
 * MPI as Fortran calls it: mpif.h and mpi (mpi_send_), mpi_f08 (mpi_send_f08_; mpi_send_f08ts_ where choice
 * buffers come as descriptors of C; mpi_send_f08_large_ and mpi_send_f08ts_large_, or
 * mpi_send_c_f08_ and mpi_send_c_f08ts_, with MPI_Count).
 *
 * Everything comes by reference and is passed on untouched, to the library's own function of the same name:
 * what it calls in turn does not count, for the Fortran call is the outermost. After the call arguments are
 * turned into C's values, as far as counting needs them.
 */
#ifndef AA_MPI_FORTRAN_H
#define AA_MPI_FORTRAN_H

#include "mpi_library.h"
#include "symbol.h"

/* mpi_f08 is AA_FORTRAN_2018 where its choice buffers come as descriptors. */
enum aa_language { AA_C, AA_FORTRAN, AA_FORTRAN_2008, AA_FORTRAN_2018 };

/* ---- the frame of a wrapper */

/* One form of a function: its name, what tells it from the others, and the library's own once it is known. */
struct aa_fortran_form {
    const char *name;
    enum aa_language language;
    void *_Atomic known;
};

/* The library's own function; ends the process where it is not found. */
void *aa_fortran_next(struct aa_fortran_form *form, const void *caller);

/* Hands over to the function that all forms share. */
#define AA_FORTRAN_FORM(symbol, form_language, function, parameters, arguments)                              \
    AA_EXPORT void symbol parameters {                                                                       \
        static struct aa_fortran_form form = {.name = #symbol, .language = form_language};                   \
        call_##function(&form, __builtin_return_address(0), AA_UNPACK arguments);                            \
    }

/*
 * What the forms of a function share; its body follows, in which next is the library's own, caller where the
 * program's call returns to. Fortran's parameter error, which may be absent in mpi_f08, is always there from
 * then on. A stub of MPI for serial programs, which has Fortran's names alone, gets what came.
 */
#define AA_FORTRAN_SHARED(function, parameters, arguments)                                                   \
    static inline void body_##function(void(*next) parameters, const struct aa_fortran_form *form,           \
                                       const void *caller, AA_UNPACK parameters);                            \
    static __attribute__((noinline)) void call_##function(struct aa_fortran_form *form, const void *caller,  \
                                                          AA_UNPACK parameters) {                            \
        void(*next) parameters = aa_fortran_next(form, caller);                                              \
        if (!aa_mpi_is_bound()) {                                                                            \
            next arguments;                                                                                  \
            return;                                                                                          \
        }                                                                                                    \
        MPI_Fint own_error = MPI_SUCCESS;                                                                    \
        error = error != NULL ? error : &own_error;                                                          \
        body_##function(next, form, caller, AA_UNPACK arguments);                                            \
    }                                                                                                        \
    static inline void body_##function(void(*next) parameters,                                               \
                                       __attribute__((unused)) const struct aa_fortran_form *form,           \
                                       __attribute__((unused)) const void *caller, AA_UNPACK parameters)

/* The name that gfortran -fsecond-underscore makes of it. */
#define AA_FORTRAN_SECOND_UNDERSCORE(symbol)                                                                 \
    AA_EXPORT extern __typeof__(symbol) symbol##_ __attribute__((alias(#symbol)));

/* A function without choice buffers in all its forms; its body follows. */
#define AA_FORTRAN_FUNCTION(name, parameters, arguments)                                                     \
    static void call_##name(struct aa_fortran_form *form, const void *caller, AA_UNPACK parameters);         \
    AA_FORTRAN_FORM(mpi_##name##_, AA_FORTRAN, name, parameters, arguments)                                  \
    AA_FORTRAN_FORM(mpi_##name##_f08_, AA_FORTRAN_2008, name, parameters, arguments)                         \
    AA_FORTRAN_SECOND_UNDERSCORE(mpi_##name##_)                                                              \
    AA_FORTRAN_SHARED(name, parameters, arguments)

/* ---- from Fortran's values to C's */

/* What arrays of counts and of types hold. */
typedef __typeof__(_Generic((MPI_Fint)0, int : (int)0, default : (MPI_Count)0)) aa_fortran_integer;

struct aa_fortran_type {
    MPI_Fint handle;
};

/* An element of an array of types. */
#define AA_TYPE_OF_C(type) (type)
#define AA_TYPE_OF_FORTRAN(type) aa_type_f2c((type).handle)

static inline int aa_fortran_int(const void *argument) {
    return (int)*(const MPI_Fint *)argument;
}

static inline MPI_Count aa_fortran_count(const void *argument) {
    return *(const MPI_Count *)argument;
}

static inline MPI_Comm aa_fortran_comm(const void *argument) {
    return aa_comm_f2c(*(const MPI_Fint *)argument);
}

static inline MPI_Datatype aa_fortran_datatype(const void *argument) {
    return aa_type_f2c(*(const MPI_Fint *)argument);
}

static inline MPI_Op aa_fortran_op(const void *argument) {
    return aa_op_f2c(*(const MPI_Fint *)argument);
}

static inline MPI_Group aa_fortran_group(const void *argument) {
    return aa_group_f2c(*(const MPI_Fint *)argument);
}

static inline MPI_Win aa_fortran_win(const void *argument) {
    return aa_win_f2c(*(const MPI_Fint *)argument);
}

static inline MPI_File aa_fortran_file(const void *argument) {
    return aa_mpi.File_f2c(*(const MPI_Fint *)argument);
}

/* The buffer's address, or that of C's MPI_IN_PLACE; a descriptor of C begins with the address. */
const void *aa_fortran_buffer(const void *argument, const struct aa_fortran_form *form);

/* ---- statuses */

/* Fortran's integers in a status. */
#define AA_FORTRAN_STATUS (sizeof(MPI_Status) / sizeof(int))

/* Room for a status that the program does not want to have. */
union aa_own_status {
    MPI_Status c;
    MPI_Fint fortran[AA_FORTRAN_STATUS];
};

/* Whether it is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
bool aa_fortran_ignores(const void *status);

/* The same status in C, in the room given; an empty one if there is none. */
const MPI_Status *aa_fortran_status(const void *status, MPI_Status *room);

#endif
