/*
 * The folder for shards, which AUTOANALYZER_SHARDS names. On a node without that folder (the launcher's
 * /tmp is not that of other nodes), it is a folder of the user's own in $TMPDIR, which the gather finds,
 * too.
 */
#ifndef AA_SHARD_FOLDER_H
#define AA_SHARD_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Stores the folder as an absolute path, because the program may change its working directory; false if it
 * is too long.
 */
bool aa_shard_folder_keep(const char *folder);

const char *aa_shard_folder(void);

/*
 * Creates the folder in $TMPDIR, and uses it from now on; returns false, with errno unchanged, if the
 * named folder should be on this node.
 */
bool aa_shard_folder_move(void);

/*
 * Leaves a mark for other processes, of some kind and about a text; if it exists already, returns false
 * and the process that has left it.
 */
bool aa_shard_folder_mark(const char *kind, const char *text, pid_t *by);

/* Removes a mark, because the process that has left it has ended. */
void aa_shard_folder_unmark(const char *kind, const char *text);

#endif
