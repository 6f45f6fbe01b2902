/* A probe library for tests: writes every event into $PROBE_EVENTS and says where nesting breaks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local const char *stack[4096];
static _Thread_local int depth;
static int file = -1;

static void put(const char *event, const char *descriptor) {
    char line[1024];
    int length;
    if (file < 0) {
        const char *path = getenv("PROBE_EVENTS");
        file = open(path ? path : "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    length = snprintf(line, sizeof line, "%s %s\n", event, descriptor);
    if (write(file, line, (size_t)length) != length)
        abort();
}

const char *aa_probe_stack;
const struct {
    const char *stack;
    void *place;
    unsigned generation;
} aa_probe_main;

const char *aa_probe_enter(const char *descriptor) {
    put("enter", descriptor);
    return stack[depth++] = descriptor;
}

const char *aa_probe_enter_counted(const char *descriptor, long *site) {
    (void)site;
    return aa_probe_enter(descriptor);
}

void aa_probe_enter_in_slot(const char *descriptor, void *slot) {
    (void)slot;
    aa_probe_enter(descriptor);
}

void aa_probe_exit(const char *descriptor) {
    put("exit", descriptor);
    if (depth == 0 || strcmp(stack[depth - 1], descriptor) != 0)
        put("mismatch", descriptor);
    else
        depth--;
}

void aa_probe_exit_or_pass(const char *descriptor) {
    aa_probe_exit(descriptor);
}

void aa_probe_resync(const char *descriptor) {
    int place = depth;
    put("resync", descriptor);
    while (place > 0 && strcmp(stack[place - 1], descriptor) != 0)
        place--;
    if (place == 0)
        put("unmatched", descriptor);
    else
        depth = place;
}

__attribute__((destructor)) static void end(void) {
    while (depth > 0)
        put("open", stack[--depth]);
}
