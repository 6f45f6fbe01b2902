/*
 * The folder for shards, which AUTOANALYZER_SHARDS names. If this folder is missing on a node, because the
 * launcher's folder is not shared, it is replaced by a folder in $TMPDIR that belongs to the user. Gathering
 * searches both.
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
 * Creates the folder in $TMPDIR, and uses it from now on. Called after a shard could not be created, with the
 * errno of that failure. Returns false, with errno unchanged, if this also fails, or if the named folder
 * should exist on this node.
 */
bool aa_shard_folder_move(void);

/*
 * Leaves a mark for other processes, with a kind and a text. If the mark already exists, returns false and
 * stores the process that has left it in `by`.
 */
bool aa_shard_folder_mark(const char *kind, const char *text, pid_t *by);

/* Removes a mark, because the process that has left it has ended. */
void aa_shard_folder_unmark(const char *kind, const char *text);

#endif
