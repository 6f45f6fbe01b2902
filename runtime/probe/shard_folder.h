/*
 * Where shards go: the folder that AUTOANALYZER_SHARDS names. On a node that does not have it, as the
 * launcher's /tmp is not that of other nodes, it is one of the user's own in $TMPDIR, into which the gather
 * looks, too.
 */
#ifndef AA_SHARD_FOLDER_H
#define AA_SHARD_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Keep the folder as an absolute path, as the program may change its own; false if that is too long. */
bool aa_shard_folder_keep(const char *folder);

const char *aa_shard_folder(void);

/* Make the one in $TMPDIR, and use that from now on; false, and errno as it was, where the folder belongs
 * here. */
bool aa_shard_folder_move(void);

/* Leave a mark there for other processes, of some kind and about a text; false, and which process has left
 * it, where it is there. */
bool aa_shard_folder_mark(const char *kind, const char *text, pid_t *by);

/* Take away one, as the process that has left it is no more. */
void aa_shard_folder_unmark(const char *kind, const char *text);

#endif
