/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which blocks of guest code ran, by TCG's plugin callbacks: properties coverage, coverage-blocks, coverage-compares, coverage-constants, coverage-fresh
 * and coverage-state of the device.
 *
 * A translation callback is registered while ranges are set, and only then. It asks TCG for an inline counter in each block inside them;
 * blocks elsewhere stay as they are. Code that was translated before is dropped (tb_flush) whenever the ranges change, after each vCPU
 * has received the new callback: both are queued to the vCPUs, in this order. Counters live as long as the process, since translated code has their addresses.
 */
#include "qemu/osdep.h"

#include "compares.h"
#include "coverage.h"
#include "exec/tb-flush.h"
#include "hw/core/cpu.h"
#include "intel_gpu.h"
#include "qapi/error.h"
#include "qemu/qemu-plugin.h"
#include "softgen/coverage.h"
#include "system/tcg.h"

/* A scoreboard holds one value per vCPU; ours are arrays of this many counters. */
#define CHUNK_COUNTERS 4096
#define MAX_CHUNKS (SG_COVERAGE_MAX_BLOCKS / CHUNK_COUNTERS)

#define MAX_INSTRUCTION 15

static struct {
  qemu_plugin_id_t plugin;
  sg_coverage* blocks; /* NULL until ranges are set for the first time */
  bool registered;
  QemuMutex mutex; /* of the chunks: vCPUs translate at the same time */
  struct qemu_plugin_scoreboard* chunks[MAX_CHUNKS];
} coverage;

static qemu_plugin_u64 counter_of(uint32_t index) {
  struct qemu_plugin_scoreboard** chunk = &coverage.chunks[index / CHUNK_COUNTERS];
  qemu_mutex_lock(&coverage.mutex);
  if (!*chunk) *chunk = qemu_plugin_scoreboard_new(CHUNK_COUNTERS * sizeof(uint64_t));
  qemu_mutex_unlock(&coverage.mutex);
  return (qemu_plugin_u64){*chunk, index % CHUNK_COUNTERS * sizeof(uint64_t)};
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  uint64_t start = qemu_plugin_tb_vaddr(block);
  struct qemu_plugin_insn* last = qemu_plugin_tb_get_insn(block, qemu_plugin_tb_n_insns(block) - 1);
  uint32_t bytes = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - start;
  uint32_t known = sg_coverage_count(coverage.blocks);
  uint32_t index = sg_coverage_block(coverage.blocks, start, bytes);

  if (index == SG_COVERAGE_NO_BLOCK) return;
  /* Blocks are translated again and again, for instance behind each restore. */
  for (size_t i = 0; index >= known && i < qemu_plugin_tb_n_insns(block); i++) {
    uint8_t code[MAX_INSTRUCTION];
    size_t size = qemu_plugin_insn_data(qemu_plugin_tb_get_insn(block, i), code, sizeof code);
    if (!sg_coverage_instruction(coverage.blocks, code, size)) break;
  }
  intel_gpu_compares_block(block);
  qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_ADD_U64, counter_of(index), 1);
}

static bool first_use(Error** errp) {
  if (!tcg_enabled()) {
    error_setg(errp, "coverage: only TCG tells which code the guest runs (-accel tcg)");
    return false;
  }
  if (!coverage.blocks) {
    coverage.blocks = sg_coverage_new();
    qemu_mutex_init(&coverage.mutex);
  }
  if (!coverage.blocks) error_setg(errp, "coverage: there is no memory");
  return coverage.blocks;
}

static void set_coverage(Object* object, const char* ranges, Error** errp) {
  char* sentence = NULL;
  bool wanted = ranges[0] != '\0';

  if (!wanted && !coverage.blocks) return;
  if (!first_use(errp)) return;
  if (!sg_coverage_set_ranges(coverage.blocks, ranges, &sentence)) {
    error_setg(errp, "%s", sentence ? sentence : "coverage: there is no memory");
    sg_free(sentence);
    return;
  }
  if (wanted != coverage.registered) {
    /* NULL takes the callback away. */
    qemu_plugin_register_vcpu_tb_trans_cb(coverage.plugin, wanted ? block_translated : NULL);
    coverage.registered = wanted;
  }
  CPUState* cpu = qemu_get_cpu(0);
  if (cpu) tb_flush(cpu);
}

static char* get_coverage(Object* object, Error** errp) {
  return intel_gpu_taken(coverage.blocks ? sg_coverage_ranges(coverage.blocks) : NULL, "");
}

/* A new array: the executions of each block, of all vCPUs. */
static uint64_t* counts_of(uint32_t count) {
  uint64_t* counts = g_new0(uint64_t, MAX(count, 1));

  qemu_mutex_lock(&coverage.mutex);
  for (uint32_t first = 0; first < count; first += CHUNK_COUNTERS) {
    struct qemu_plugin_scoreboard* chunk = coverage.chunks[first / CHUNK_COUNTERS];
    for (int vcpu = 0; chunk && vcpu < qemu_plugin_num_vcpus(); vcpu++) {
      const uint64_t* counters = qemu_plugin_scoreboard_find(chunk, vcpu);
      for (uint32_t i = 0; i < MIN(count - first, CHUNK_COUNTERS); i++) counts[first + i] += counters[i];
    }
  }
  qemu_mutex_unlock(&coverage.mutex);
  return counts;
}

static char* get_blocks(Object* object, Error** errp) {
  if (!coverage.blocks) return g_strdup("");
  uint32_t count = sg_coverage_count(coverage.blocks);
  g_autofree uint64_t* counts = counts_of(count);
  return intel_gpu_taken(sg_coverage_blocks(coverage.blocks, counts, count), "");
}

static char* get_constants(Object* object, Error** errp) {
  return intel_gpu_taken(coverage.blocks ? sg_coverage_constants(coverage.blocks) : NULL, "");
}

static void trace_compares(Object* object, const char* values, Error** errp) { intel_gpu_compares_trace(coverage.blocks, values, errp); }

static char* get_compares(Object* object, Error** errp) {
  return intel_gpu_taken(coverage.blocks ? sg_coverage_compares(coverage.blocks) : NULL, "");
}

static void begin_fresh(Object* object, const char* text, Error** errp) {
  if (!g_str_equal(text, "begin")) {
    error_setg(errp, "coverage-fresh: 'begin' is expected");
    return;
  }
  if (!first_use(errp)) return;
  uint32_t count = sg_coverage_count(coverage.blocks);
  g_autofree uint64_t* counts = counts_of(count);
  if (!sg_coverage_fresh_begin(coverage.blocks, counts, count)) error_setg(errp, "coverage: there is no memory");
}

static char* look_fresh(Object* object, Error** errp) {
  uint32_t classes = 0, blocks = 0, all = 0;
  if (!first_use(errp)) return NULL;
  uint32_t count = sg_coverage_count(coverage.blocks);
  g_autofree uint64_t* counts = counts_of(count);
  if (!sg_coverage_fresh_look(coverage.blocks, counts, count, &classes, &blocks, &all)) error_setg(errp, "coverage: there is no memory");
  return g_strdup_printf("{\"classes\": %u, \"blocks\": %u, \"all\": %u}", classes, blocks, all);
}

static char* get_state(Object* object, Error** errp) {
  g_autofree char* state = intel_gpu_taken(coverage.blocks ? sg_coverage_state(coverage.blocks) : NULL, "{}");
  return g_strdup_printf("{\"registered\": %s, \"core\": %s}", coverage.registered ? "true" : "false", state);
}

void intel_gpu_coverage_init(qemu_plugin_id_t id) {
  ObjectClass* klass = object_class_by_name(TYPE_INTEL_GPU);

  coverage.plugin = id;
  object_class_property_add_str(klass, "coverage", get_coverage, set_coverage);
  object_class_property_set_description(
      klass, "coverage",
      "guest virtual addresses (START-END+START-END) whose executed blocks are counted, under TCG; changes at run "
      "time; empty: none (default)");
  object_class_property_add_str(klass, "coverage-blocks", get_blocks, NULL);
  object_class_property_set_description(klass, "coverage-blocks",
                                        "read only: a line for each block of them that ran: start, bytes, how often");
  object_class_property_add_str(klass, "coverage-compares", get_compares, trace_compares);
  object_class_property_set_description(
      klass, "coverage-compares",
      "values (hexadecimal, blanks between): from now on compares with one of them are recorded, until it is set empty (default); of a stopped machine. Reads what was "
      "recorded: a line for each instruction and pair of operands");
  object_class_property_add_str(klass, "coverage-constants", get_constants, NULL);
  object_class_property_set_description(klass, "coverage-constants",
                                        "read only: the constants that x86-64 code in the ranges compares with, one per line");
  object_class_property_add_str(klass, "coverage-fresh", look_fresh, begin_fresh);
  object_class_property_set_description(
      klass, "coverage-fresh",
      "for fuzzers: 'begin' forgets all executions; a read ends one and says what it reached that none before it did, as JSON");
  object_class_property_add_str(klass, "coverage-state", get_state, NULL);
  object_class_property_set_description(klass, "coverage-state",
                                        "read only: is a callback of TCG registered, and how many blocks it saw, as JSON");
}
