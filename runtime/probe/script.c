/* Parses Python's command line: options of the interpreter, then the script or a module. */
#define _GNU_SOURCE
#include "script.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct words {
    char *next, *end;
};

static const char *take(struct words *words) {
    char *word = words->next;
    if (word >= words->end)
        return NULL;
    words->next = word + strlen(word) + 1;
    return word;
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns whether a module runs the script that follows it. */
static bool is_runner(const char *module) {
    return strcmp(module, "mpi4py") == 0 || strcmp(module, "mpi4py.run") == 0;
}

/*
 * Handles an option such as -u, -W error, -Werror or -um mpi4py. Returns the program's name if it is in the
 * option or follows it; an empty text if the program has no name; null if more options must be read.
 */
static const char *look_into(const char *option, struct words *words) {
    if (strcmp(option, "--check-hash-based-pycs") == 0)
        take(words);
    if (option[1] == '-')
        return NULL;
    for (const char *letter = option + 1; *letter; letter++) {
        const char *value = letter[1] ? letter + 1 : NULL;
        if (*letter == 'c')
            return "";
        if (*letter == 'm') {
            const char *module = value ? value : take(words);
            return module && is_runner(module) ? NULL : module ? module : "";
        }
        if (*letter == 'W' || *letter == 'X') {
            if (!value)
                take(words);
            break;
        }
    }
    return NULL;
}

static const char *find(struct words *words) {
    const char *word;
    take(words);
    while ((word = take(words))) {
        if (*word != '-')
            return base_of(word);
        if (strcmp(word, "-") == 0)
            return "";
        const char *name = look_into(word, words);
        if (name)
            return name;
    }
    return "";
}

void aa_script_name(const char *executable, char *name, size_t room) {
    char text[4096];
    *name = '\0';
    if (strncmp(base_of(executable), "python", strlen("python")) != 0)
        return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    if (length <= 0)
        return;
    text[length] = '\0';
    struct words words = {text, text + length};
    strncpy(name, find(&words), room - 1);
    name[room - 1] = '\0';
}
