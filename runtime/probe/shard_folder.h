/*
 * The folder for shards. AUTOANALYZER_SHARDS names it; on a node that does not have it, because the
 * launcher's folder is not shared, it is a folder of the user's own in $TMPDIR, where the gather searches,
 * too.
 */
#ifndef AA_SHARD_FOLDER_H
#define AA_SHARD_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Stores the folder as an absolute path, because the program may change its working directory. Returns
 * false if the path is too long.
 */
bool aa_shard_folder_keep(const char *folder);

/* Returns the folder; empty before aa_shard_folder_keep. */
const char *aa_shard_folder(void);

/*
 * Creates the folder in $TMPDIR, and uses it from now on. Called after a shard could not be created, with
 * its errno. Returns false, with errno unchanged, if that failed or if the named folder should exist on
 * this node.
 */
bool aa_shard_folder_move(void);

/*
 * Leaves a mark for other processes, of some kind and about a text. If there is one already, returns false
 * and stores in `by` the process that has left it.
 */
bool aa_shard_folder_mark(const char *kind, const char *text, pid_t *by);

/* Removes a mark, because the process that has left it has ended. */
void aa_shard_folder_unmark(const char *kind, const char *text);

#endif
