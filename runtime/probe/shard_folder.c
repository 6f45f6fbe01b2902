#define _GNU_SOURCE
#include "shard_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char kept[3072];

bool aa_shard_folder_keep(const char *folder) {
    char here[2048] = "";
    if (*folder != '/' && !getcwd(here, sizeof here))
        return false;
    const char *between = *folder != '/' ? "/" : "";
    return snprintf(kept, sizeof kept, "%s%s%s", here, between, folder) < (int)sizeof kept;
}

const char *aa_shard_folder(void) {
    return kept;
}

/* The same hash as key_of in runtime/node_folder.py (FNV-1a). */
static uint64_t key_of(const char *text) {
    uint64_t key = 0xcbf29ce484222325u;
    for (; *text; text++)
        key = (key ^ (unsigned char)*text) * 0x100000001b3u;
    return key;
}

/*
 * Creates a folder; returns whether it belongs to the user and no other user can write to it, so that nobody
 * can redirect the shards.
 */
static bool make_own(const char *path) {
    struct stat status;
    if (syscall(SYS_mkdirat, AT_FDCWD, path, 0700) != 0 && errno != EEXIST)
        return false;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_in(const char *temporary) {
    char path[sizeof kept];
    int length = snprintf(path, sizeof path, "%s/autoanalyzer-%u", temporary, (unsigned)geteuid());
    if (length >= (int)sizeof path || !make_own(path))
        return false;
    length =
        snprintf(path + length, sizeof path - (size_t)length, "/%016llx", (unsigned long long)key_of(kept)) +
        length;
    if (length >= (int)sizeof path || !make_own(path))
        return false;
    strcpy(kept, path);
    return true;
}

/*
 * Returns whether the launcher created the folder on this node. If so, and the folder is missing, it was
 * removed on purpose.
 */
static bool is_launchers_node(void) {
    char here[256] = "";
    const char *launcher = getenv("AUTOANALYZER_NODE");
    gethostname(here, sizeof here - 1);
    return !launcher || strcmp(launcher, here) == 0;
}

bool aa_shard_folder_move(void) {
    int error = errno;
    const char *temporary = getenv("TMPDIR");
    bool is_absent =
        error == ENOENT || error == ENOTDIR || error == EACCES || error == EROFS || error == EPERM;
    bool moved = is_absent && !is_launchers_node() &&
                 ((temporary && *temporary == '/' && make_in(temporary)) || make_in("/tmp"));
    errno = error;
    return moved;
}

/*
 * ---- marks: symbolic links, which appear atomically. Their target is the number of a process. The same
 * names as MARKS in runtime/folder.py.
 */

static bool name_mark(const char *kind, const char *text, char path[sizeof kept]) {
    unsigned long long key = key_of(text);
    return snprintf(path, sizeof kept, "%s/%s-%016llx.mark", kept, kind, key) < (int)sizeof kept;
}

bool aa_shard_folder_mark(const char *kind, const char *text, pid_t *by) {
    char path[sizeof kept], process[16], other[16];
    int error = errno;
    *by = getpid();
    snprintf(process, sizeof process, "%ld", (long)*by);
    bool is_there = name_mark(kind, text, path) && symlink(process, path) != 0 && errno == EEXIST;
    if (is_there) {
        ssize_t length = readlink(path, other, sizeof other - 1);
        other[length > 0 ? length : 0] = '\0';
        *by = (pid_t)strtol(other, NULL, 10);
    }
    errno = error;
    return !is_there;
}

void aa_shard_folder_unmark(const char *kind, const char *text) {
    char path[sizeof kept];
    if (name_mark(kind, text, path))
        unlink(path);
}
