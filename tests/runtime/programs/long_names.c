/* Enters NUMBER regions, whose descriptors have LENGTH characters: long_names NUMBER LENGTH. */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void probe(const char *descriptor);

int main(int argc, char **argv) {
    assert(argc == 3);
    int number = atoi(argv[1]), length = atoi(argv[2]);
    probe *enter = (probe *)dlsym(RTLD_DEFAULT, "aa_probe_enter");
    probe *leave = (probe *)dlsym(RTLD_DEFAULT, "aa_probe_exit");
    assert(enter && leave);
    for (int k = 0; k < number; k++) {
        char *name = malloc((size_t)length + 1), end[64];
        int size = snprintf(end, sizeof end, "%d|||0|0|0", k);
        memset(name, 'n', (size_t)length);
        memcpy(name, "aa1|user|", strlen("aa1|user|"));
        strcpy(name + length - size, end);
        enter(name);
        leave(name);
    }
    return 0;
}
