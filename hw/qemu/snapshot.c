/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of the whole machine in memory, for fuzzers that restore many times a second: properties snapshot-take, snapshot-restore,
 * snapshot-state and snapshot-hash. All under the big lock, in the main loop.
 *
 * RAM: pages that were written since are given back (softgen/ram_snapshot.h), and what TCG translated from them is dropped. Devices: the
 * sections of a snapshot without RAM, as COLO makes them (qemu_save_device_state, qemu_load_device_state). Devices are reset first, as by
 * loadvm: what is as after a reset may be missing from their state. Disks are not restored (docs/coverage.md).
 */
#include "qemu/osdep.h"

#include "exec/cpu-common.h"
#include "exec/cputlb.h"
#include "exec/memory.h"
#include "hw/core/cpu.h"
#include "intel_gpu.h"
#include "io/channel-buffer.h"
#include "migration/global_state.h"
#include "migration/qemu-file-types.h"
#include "migration/qemu-file.h"
#include "migration/savevm.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/timer.h"
#include "snapshot.h"
#include "softgen/ram_snapshot.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "system/tcg.h"

/* QEMU's exec/exec-all.h, which only code of one target can include; there the type is tb_page_addr_t, in system emulation a ram_addr_t. */
void tb_invalidate_phys_range(ram_addr_t start, ram_addr_t last);
/* QEMU's hw/core/cpu.h has it for code of one target. */
extern const VMStateDescription vmstate_cpu_common;

static struct {
  sg_ram_snapshot* ram;
  GArray* pieces;   /* of sg_ram_piece: what `ram` was made of */
  uint8_t* devices; /* NULL: no snapshot */
  size_t devices_size;
  uint64_t restores;
  /* Of the last restore. */
  size_t pages;
  int64_t stop_ns, reset_ns, ram_ns, devices_ns, start_ns;
} snapshot;

typedef struct {
  GArray* pieces;
  const char* complaint;
} Gathered;

static int gather(RAMBlock* block, void* opaque) {
  Gathered* found = opaque;
  sg_ram_piece piece = {qemu_ram_get_host_addr(block), qemu_ram_get_used_length(block)};

  if (qemu_ram_is_shared(block) || qemu_ram_get_fd(block) >= 0 || qemu_ram_pagesize(block) != qemu_real_host_page_size()) {
    found->complaint = qemu_ram_get_idstr(block);
    return -1;
  }
  if (piece.host && piece.size) g_array_append_val(found->pieces, piece);
  return 0;
}

/* The machine's memory, as an array of sg_ram_piece. */
static GArray* memory_pieces(Error** errp) {
  Gathered found = {g_array_new(false, false, sizeof(sg_ram_piece)), NULL};

  if (qemu_ram_foreach_block(gather, &found) == 0) return found.pieces;
  error_setg(errp, "snapshot: the memory %s is shared or a file's, or has huge pages; private anonymous memory is needed", found.complaint);
  g_array_free(found.pieces, true);
  return NULL;
}

static bool same_memory(const GArray* pieces) {
  return pieces->len == snapshot.pieces->len && memcmp(pieces->data, snapshot.pieces->data, pieces->len * sizeof(sg_ram_piece)) == 0;
}

static bool core_error(char* sentence, Error** errp) {
  error_setg(errp, "%s", sentence ? sentence : "snapshot: there is no memory");
  sg_free(sentence);
  return false;
}

static bool prepare_memory(Error** errp) {
  char* sentence = NULL;
  GArray* pieces = memory_pieces(errp);

  if (!pieces) return false;
  if (snapshot.ram) {
    bool same = same_memory(pieces);
    g_array_free(pieces, true);
    if (!same) error_setg(errp, "snapshot: memory was added, removed or resized since the first one");
    return same;
  }
  snapshot.ram = sg_ram_snapshot_new((const sg_ram_piece*)pieces->data, pieces->len, &sentence);
  if (!snapshot.ram) {
    g_array_free(pieces, true);
    return core_error(sentence, errp);
  }
  snapshot.pieces = pieces;
  return true;
}

/* Before the devices' sections: QEMU_VM_FILE_MAGIC and QEMU_VM_FILE_VERSION (migration/savevm.c), which qemu_load_device_state() does not expect. */
#define STATE_HEADER 8

static uint8_t* device_state(size_t* size, Error** errp) {
  g_autoptr(QIOChannelBuffer) buffer = qio_channel_buffer_new(1 * MiB);
  QEMUFile* file = qemu_file_new_output(QIO_CHANNEL(buffer));
  uint8_t* bytes = NULL;

  global_state_store_running(); /* a part of the state that must not be empty */
  if (qemu_save_device_state(file) >= 0 && qemu_fflush(file) >= 0 && buffer->usage > STATE_HEADER && memcmp(buffer->data, "QEVM", 4) == 0) {
    *size = buffer->usage - STATE_HEADER;
    bytes = g_memdup2(buffer->data + STATE_HEADER, *size);
  } else {
    error_setg(errp, "snapshot: a device's state cannot be saved");
  }
  qemu_fclose(file);
  return bytes;
}

/* As cpu_common_post_load() (hw/core/cpu-system.c), but for its tb_flush(): pages that changed lose their translations by pages_changed(), and
 * to translate all else again costs fifty times the restore. */
static int cpu_loaded(void* opaque, int version) {
  CPUState* cpu = opaque;
  cpu->interrupt_request &= ~0x01;
  tlb_flush(cpu);
  return 0;
}

/* While our state is loaded, processors have this in place of vmstate_cpu_common; a snapshot of QEMU's own needs that one. */
static VMStateDescription cpu_state;

static void replace_cpu_state(const VMStateDescription* before, const VMStateDescription* now) {
  CPUState* cpu;
  CPU_FOREACH(cpu) {
    if (qdev_get_vmsd(DEVICE(cpu))) continue;
    vmstate_unregister(NULL, before, cpu);
    vmstate_register(NULL, cpu->cpu_index, now, cpu);
  }
}

static bool load_devices(Error** errp) {
  g_autoptr(QIOChannelBuffer) buffer = qio_channel_buffer_new(snapshot.devices_size);
  memcpy(buffer->data, snapshot.devices, snapshot.devices_size);
  buffer->usage = snapshot.devices_size;
  QEMUFile* file = qemu_file_new_input(QIO_CHANNEL(buffer));

  cpu_state = vmstate_cpu_common;
  cpu_state.post_load = cpu_loaded;
  cpu_synchronize_all_pre_loadvm();
  replace_cpu_state(&vmstate_cpu_common, &cpu_state);
  int result = qemu_load_device_state(file);
  replace_cpu_state(&cpu_state, &vmstate_cpu_common);
  qemu_fclose(file);
  if (result < 0) error_setg(errp, "snapshot: a device's state cannot be loaded (%s); the machine is stopped", strerror(-result));
  return result >= 0;
}

/* Engines of the GPU stop with the machine; so nothing writes to memory until start(). */
static bool stop(RunState state) {
  bool running = runstate_is_running();
  if (running) vm_stop(state);
  return running;
}

static void take(Object* object, bool value, Error** errp) {
  char* sentence = NULL;

  if (!value) return;
  bool running = stop(RUN_STATE_SAVE_VM);
  g_clear_pointer(&snapshot.devices, g_free);
  if (prepare_memory(errp)) {
    snapshot.devices = device_state(&snapshot.devices_size, errp);
    if (snapshot.devices && !sg_ram_snapshot_take(snapshot.ram, &sentence)) {
      g_clear_pointer(&snapshot.devices, g_free);
      core_error(sentence, errp);
    }
  }
  if (running) vm_start();
}

static void pages_changed(void* opaque, void* host, size_t size) {
  ram_addr_t offset;
  MemoryRegion* region = memory_region_from_host(host, &offset);

  if (!region) return;
  memory_region_set_dirty(region, offset, size);
  ram_addr_t start = memory_region_get_ram_addr(region) + offset;
  if (tcg_enabled()) tb_invalidate_phys_range(start, start + size - 1);
}

/* One transaction: the reset takes apart the memory map that the devices' states then make again, mostly the same. */
static bool restore_machine(Error** errp) {
  char* sentence = NULL;
  bool loaded = false;
  int64_t begin = get_clock();

  memory_region_transaction_begin();
  qemu_system_reset(SHUTDOWN_CAUSE_SNAPSHOT_LOAD);
  int64_t reset = get_clock();
  bool back = sg_ram_snapshot_restore(snapshot.ram, pages_changed, NULL, &snapshot.pages, &sentence);
  int64_t ram = get_clock();
  if (back) {
    loaded = load_devices(errp);
  } else {
    core_error(sentence, errp);
  }
  memory_region_transaction_commit();
  snapshot.reset_ns = reset - begin;
  snapshot.ram_ns = ram - reset;
  snapshot.devices_ns = get_clock() - ram;
  return loaded;
}

static void restore(Object* object, bool value, Error** errp) {
  if (!value) return;
  if (!snapshot.devices) {
    error_setg(errp, "snapshot: none was taken (snapshot-take)");
    return;
  }
  GArray* pieces = memory_pieces(errp);
  if (!pieces) return;
  bool same = same_memory(pieces);
  g_array_free(pieces, true);
  if (!same) {
    error_setg(errp, "snapshot: memory was added, removed or resized since it was taken");
    return;
  }
  int64_t begin = get_clock();
  bool running = stop(RUN_STATE_RESTORE_VM);
  snapshot.stop_ns = get_clock() - begin;
  if (!restore_machine(errp)) return;
  snapshot.restores++;
  begin = get_clock();
  if (running) vm_start();
  snapshot.start_ns = get_clock() - begin;
}

static bool is_taken(Object* object, Error** errp) { return snapshot.devices != NULL; }

static char* get_state(Object* object, Error** errp) {
  return g_strdup_printf("{\"taken\": %s, \"device_bytes\": %zu, \"restores\": %" PRIu64 ", \"pages\": %zu, \"stop_us\": %" PRId64
                         ", \"reset_us\": %" PRId64 ", \"ram_us\": %" PRId64 ", \"devices_us\": %" PRId64 ", \"start_us\": %" PRId64 "}",
                         snapshot.devices ? "true" : "false", snapshot.devices ? snapshot.devices_size : 0, snapshot.restores,
                         snapshot.pages, snapshot.stop_ns / 1000, snapshot.reset_ns / 1000, snapshot.ram_ns / 1000,
                         snapshot.devices_ns / 1000, snapshot.start_ns / 1000);
}

/*
 * Each registration (replace_cpu_state()) gives a section another number, which says nothing of the machine. A section: QEMU_VM_SECTION_FULL,
 * number, the name's length, name, …, QEMU_VM_SECTION_FOOTER, number (migration/savevm.c).
 */
static void blank_section_numbers(uint8_t* state, size_t size) {
  const char name[] =
      "\x0a"
      "cpu_common";
  uint8_t* end = state + size;

  for (uint8_t* at = state; (at = memmem(at, end - at, name, sizeof name - 1)); at++) {
    if (at - state < 5 || at[-5] != QEMU_VM_SECTION_FULL) continue;
    uint8_t footer[5] = {QEMU_VM_SECTION_FOOTER};
    memcpy(footer + 1, at - 4, 4);
    uint8_t* last = memmem(at, end - at, footer, sizeof footer);
    memset(at - 4, 0, 4);
    if (last) memset(last + 1, 0, 4);
  }
}

static char* get_hash(Object* object, Error** errp) {
  size_t size;

  if (!snapshot.devices || runstate_is_running()) {
    error_setg(errp, "snapshot: a hash needs a stopped machine and a snapshot");
    return NULL;
  }
  g_autofree uint8_t* devices = device_state(&size, errp);
  if (!devices) return NULL;
  blank_section_numbers(devices, size);
  g_autofree char* digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, devices, size);
  return g_strdup_printf("%016" PRIx64 " %s", sg_ram_snapshot_hash(snapshot.ram), digest);
}

void intel_gpu_snapshot_init(void) {
  ObjectClass* klass = object_class_by_name(TYPE_INTEL_GPU);

  object_class_property_add_bool(klass, "snapshot-take", is_taken, take);
  object_class_property_set_description(klass, "snapshot-take",
                                        "at run time, true: take a snapshot of the machine in memory, without its disks");
  object_class_property_add_bool(klass, "snapshot-restore", is_taken, restore);
  object_class_property_set_description(klass, "snapshot-restore", "at run time, true: go back to the snapshot");
  object_class_property_add_str(klass, "snapshot-state", get_state, NULL);
  object_class_property_set_description(klass, "snapshot-state", "read only: is there a snapshot, and what the last restore took, as JSON");
  object_class_property_add_str(klass, "snapshot-hash", get_hash, NULL);
  object_class_property_set_description(klass, "snapshot-hash",
                                        "read only, of a stopped machine: a hash of its memory and one of its devices' states");
}
