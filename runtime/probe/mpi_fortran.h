/*
 * MPI as Fortran calls it. The functions have one name per interface: mpi_send_ in mpif.h and the module mpi;
 * mpi_send_f08_ in mpi_f08, or mpi_send_f08ts_ if choice buffers are C descriptors; for MPI_Count arguments
 * mpi_send_f08_large_ and mpi_send_f08ts_large_, or mpi_send_c_f08_ and mpi_send_c_f08ts_.
 *
 * All arguments are references, which are passed unchanged to the library's own function of the same name.
 * MPI calls that this function makes do not count, because the Fortran call is the outermost call. After the
 * call, the arguments needed for counting are converted to C values.
 */
#ifndef AA_MPI_FORTRAN_H
#define AA_MPI_FORTRAN_H

#include "mpi_library.h"
#include "symbol.h"

/*
 * AA_FORTRAN: mpif.h and mpi. AA_FORTRAN_2008: mpi_f08. AA_FORTRAN_2018: mpi_f08 if its choice buffers are C
 * descriptors.
 */
enum aa_language { AA_C, AA_FORTRAN, AA_FORTRAN_2008, AA_FORTRAN_2018 };

/* ---- the frame of a wrapper */

/*
 * One of a function's names: the name, the interface that uses it, and the library's own function, which is
 * null until it is known.
 */
struct aa_fortran_form {
    const char *name;
    enum aa_language language;
    void *_Atomic known;
};

/*
 * Returns the library's own function of this name; ends the process if it is not found. caller: the return
 * address.
 */
void *aa_fortran_next(struct aa_fortran_form *form, const void *caller);

/* Defines a wrapper under one name. It calls the function that the wrappers under all names share. */
#define AA_FORTRAN_FORM(symbol, form_language, function, parameters, arguments)                              \
    AA_EXPORT void symbol parameters {                                                                       \
        static struct aa_fortran_form form = {.name = #symbol, .language = form_language};                   \
        call_##function(&form, __builtin_return_address(0), AA_UNPACK arguments);                            \
    }

/*
 * Defines the function that the wrappers under all names share; its body follows. In the body, next is the
 * library's own function, and caller is the return address in the program. Fortran's argument `error`, which
 * programs may omit with mpi_f08, is always present in the body. If a library for serial programs defines
 * only the Fortran names, the body is not executed, and arguments are passed on unchanged.
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

/* Defines the same wrapper under the name that gfortran's -fsecond-underscore produces. */
#define AA_FORTRAN_SECOND_UNDERSCORE(symbol)                                                                 \
    AA_EXPORT extern __typeof__(symbol) symbol##_ __attribute__((alias(#symbol)));

/*
 * Defines the wrappers of a function without choice buffers, under its names in mpif.h, mpi and mpi_f08.
 * The body that they share follows.
 */
#define AA_FORTRAN_FUNCTION(name, parameters, arguments)                                                     \
    static void call_##name(struct aa_fortran_form *form, const void *caller, AA_UNPACK parameters);         \
    AA_FORTRAN_FORM(mpi_##name##_, AA_FORTRAN, name, parameters, arguments)                                  \
    AA_FORTRAN_FORM(mpi_##name##_f08_, AA_FORTRAN_2008, name, parameters, arguments)                         \
    AA_FORTRAN_SECOND_UNDERSCORE(mpi_##name##_)                                                              \
    AA_FORTRAN_SHARED(name, parameters, arguments)

/* ---- from Fortran values to C values */

/* the element type of Fortran's arrays of counts (int if that has the same size), and of arrays of types */
typedef __typeof__(_Generic((MPI_Fint)0, int : (int)0, default : (MPI_Count)0)) aa_fortran_integer;

struct aa_fortran_type {
    MPI_Fint handle;
};

/* Return the MPI_Datatype for an element of an array of C or Fortran types. */
#define AA_TYPE_OF_C(type) (type)
#define AA_TYPE_OF_FORTRAN(type) aa_type_f2c((type).handle)

/* Return the C value of an argument that Fortran has passed by reference. */
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

/* Returns the address of a buffer, or C's MPI_IN_PLACE. A C descriptor begins with the address. */
const void *aa_fortran_buffer(const void *argument, const struct aa_fortran_form *form);

/* ---- statuses */

/* number of integers in Fortran's form of a status */
#define AA_FORTRAN_STATUS (sizeof(MPI_Status) / sizeof(int))

/* Memory for a status that the program ignores, in either language. */
union aa_own_status {
    MPI_Status c;
    MPI_Fint fortran[AA_FORTRAN_STATUS];
};

/* Returns whether a Fortran argument is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
bool aa_fortran_ignores(const void *status);

/* Returns the C form of a Fortran status, stored in `room`; an empty status if the program ignores it. */
const MPI_Status *aa_fortran_status(const void *status, MPI_Status *room);

#endif
