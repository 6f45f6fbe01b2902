/* Data that the stubs in the program read without a call. */
#include "self.h"
#include "slots.h"

#include <stddef.h>

/* maximum number of bytes of the main thread's stack above the frame of a constructor */
#define STACK_ABOVE 65536

/*
 * These variables have their own cache line, because all threads read them, and data beside them may be
 * written often.
 */
const char *aa_probe_stack __attribute__((section(".aa_stack"), aligned(64)));
struct aa_main aa_probe_main __attribute__((section(".aa_stack"))) = {.generation = 1};
static char beside[64 - sizeof aa_probe_stack - sizeof aa_probe_main]
    __attribute__((section(".aa_stack"), used));

_Static_assert(offsetof(struct aa_thread, current) + offsetof(struct aa_place, share) ==
                       offsetof(struct aa_thread, call.share) &&
                   AA_OWN == 0,
               "the stub reads a thread's fields");

__attribute__((constructor)) static void find_stack(void) {
    aa_probe_stack = (const char *)__builtin_frame_address(0) + STACK_ABOVE;
}
