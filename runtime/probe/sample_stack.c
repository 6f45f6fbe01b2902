#define _GNU_SOURCE
#include "sample_stack.h"
#include "self.h"

#include <stdint.h>
#include <sys/resource.h>

#define SMALL ((size_t)32 << 10)
/* maximum distance between a thread's first function and the end of its stack */
#define ABOVE ((size_t)64 << 10)
/* Linux reserves at least this; a program may raise its own limit */
#define LEAST_OF_MAIN ((size_t)128 << 20)
#define MOST_OF_MAIN ((size_t)1 << 40) /* if the size is not limited */

static _Thread_local struct {
    uintptr_t start, end; /* the thread's own stack; 0 and 0: unknown */
    bool has_small;
    bool has_others; /* the thread also uses other stacks, which are not small */
} stacks AA_INITIAL_EXEC;

void aa_sample_stack_begin(size_t bytes) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stacks.start = here > bytes ? here - bytes : 0;
    stacks.end = here + ABOVE;
    stacks.has_small |= bytes < SMALL;
}

static __attribute__((constructor)) void begin_main(void) {
    struct rlimit limit;
    bool is_limited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < MOST_OF_MAIN;
    size_t bytes = is_limited ? (size_t)limit.rlim_cur : MOST_OF_MAIN;
    aa_sample_stack_begin(bytes > LEAST_OF_MAIN ? bytes : LEAST_OF_MAIN);
}

void aa_sample_stack_add(size_t bytes) {
    if (bytes < SMALL)
        stacks.has_small = true;
    else
        stacks.has_others = true;
}

bool aa_sample_stack_is_small(void) {
    return stacks.has_small;
}

bool aa_sample_stack_is_known(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return stacks.has_others || !stacks.end || (here >= stacks.start && here < stacks.end);
}
