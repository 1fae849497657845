/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C ABI of quick snapshots of guest RAM within a process: what was written since is found in the host's page tables and given back.
 * Under one lock of the front end; nothing may write to the memory during a call but the call itself.
 * Functions with `char **error` set *error to one malloc'ed sentence when they return NULL or false.
 */
#ifndef SOFTGEN_RAM_SNAPSHOT_H
#define SOFTGEN_RAM_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sg_ram_snapshot sg_ram_snapshot;

/* Private anonymous memory of the process, whole pages. */
typedef struct sg_ram_piece {
  void* host;
  size_t size;
} sg_ram_piece;

sg_ram_snapshot* sg_ram_snapshot_new(const sg_ram_piece* pieces, size_t count, char** error);
/* Takes a snapshot, in place of an earlier one. The first time the memory becomes a private mapping, at the same addresses, of a file without a
 * name (memfd) that holds its contents: writes go to copies of pages. It stays so after sg_ram_snapshot_free(). After an error there is no snapshot. */
bool sg_ram_snapshot_take(sg_ram_snapshot* snapshot, char** error);
/* Makes the memory what it was, and calls `changed` for each run of pages that differed, or may have; *pages: how many. */
bool sg_ram_snapshot_restore(sg_ram_snapshot* snapshot, void (*changed)(void* opaque, void* host, size_t size), void* opaque, size_t* pages,
                             char** error);
/* A hash of all of the memory. Pages that were never touched become allocated. */
uint64_t sg_ram_snapshot_hash(const sg_ram_snapshot* snapshot);
void sg_ram_snapshot_free(sg_ram_snapshot* snapshot);

#ifdef __cplusplus
}
#endif
#endif
