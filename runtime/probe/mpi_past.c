#define _GNU_SOURCE
#include "mpi_past.h"
#include "mpi_library.h"
#include "objects.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns whether a function is one that we wrap. Calls of PMPI_ functions need not go through the
 * wrappers. */
static bool is_missed(const char *name, uintptr_t function) {
#define IS_SAME(name) || function == (uintptr_t)aa_mpi.name
    return strncmp(name, "MPI_", 4) == 0 && (false AA_MPI_WRAPPED(IS_SAME));
}

/*
 * Returns the value of an entry in an object's dynamic section; 0 if there is none. The loader has replaced
 * offsets with addresses there, except in the kernel's own object.
 */
static uintptr_t value_of(const struct dl_phdr_info *object, ElfW(Sxword) tag) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *part = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; part->d_tag != DT_NULL; part++) {
            if (part->d_tag == tag)
                return part->d_un.d_ptr;
        }
    }
    return 0;
}

/*
 * Returns 1 if a library's jump table contains MPI functions that we wrap, so that calls of these functions
 * bypass the wrappers. The table contains the functions that the library has called so far or, if they are
 * bound at the start, all functions that it may call.
 */
static int calls_past(struct dl_phdr_info *object, size_t unused, void *unused_too) {
    struct aa_span span = aa_span_of(object);
    uintptr_t table = value_of(object, DT_JMPREL);
    const ElfW(Rela) *jumps = (const void *)table;
    size_t count = aa_span_has(span, table) ? value_of(object, DT_PLTRELSZ) / sizeof *jumps : 0;
    const ElfW(Sym) *symbols = (const void *)value_of(object, DT_SYMTAB);
    const char *names = (const char *)value_of(object, DT_STRTAB);
    (void)unused, (void)unused_too;
    for (size_t i = 0; i < count; i++) {
        uintptr_t called = *(const uintptr_t *)(object->dlpi_addr + jumps[i].r_offset);
        const char *name = names + symbols[ELF64_R_SYM(jumps[i].r_info)].st_name;
        if (!aa_span_has(span, called) && is_missed(name, called))
            return 1;
    }
    return 0;
}

bool aa_mpi_is_called_past(void) {
    return dl_iterate_phdr(calls_past, NULL) != 0;
}
