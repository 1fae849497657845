/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operands of compare instructions at run time (property coverage-compares), by callbacks of TCG plugins that read registers and loaded values.
 *
 * Blocks with such callbacks are translated beside those without: QEMU keeps translations by address and flags, and the traced ones differ in the
 * bits of the processor's cluster (CF_CLUSTER_MASK), which mean nothing else to TCG. So switching costs nothing, both kinds stay translated, and
 * blocks that run while nothing is traced are as ever. Chained blocks have equal flags (QEMU's accel/tcg/cpu-exec.c, tb_lookup()).
 */
#include "qemu/osdep.h"

#include "compares.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "qapi/error.h"
#include "softgen/softgen.h"
#include "system/runstate.h"

#define TRACED_CLUSTER (1u << CF_CLUSTER_SHIFT)
#define REGISTERS 16
#define MAX_INSTRUCTION 15

static struct {
  sg_coverage* blocks;
  bool traced;
  /* By the numbers that instructions have; from QEMU, when the first callback runs. */
  struct qemu_plugin_register* registers[REGISTERS];
} compares;

static void find_registers(void) {
  static const char* const names[REGISTERS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                               "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
  g_autoptr(GArray) all = qemu_plugin_get_registers();
  for (guint i = 0; i < all->len; i++) {
    const qemu_plugin_reg_descriptor* found = &g_array_index(all, qemu_plugin_reg_descriptor, i);
    for (int number = 0; number < REGISTERS; number++)
      if (g_str_equal(found->name, names[number])) compares.registers[number] = found->handle;
  }
}

static uint64_t register_value(unsigned operand) {
  static __thread GByteArray* buffer;
  uint64_t value = 0;
  if (!buffer) buffer = g_byte_array_new();
  g_byte_array_set_size(buffer, 0);
  struct qemu_plugin_register* handle = compares.registers[operand % REGISTERS];
  if (!handle || qemu_plugin_read_register(handle, buffer) <= 0) return 0;
  memcpy(&value, buffer->data, MIN(buffer->len, sizeof value));
  return operand >= SG_OPERAND_HIGH ? value >> 8 : value;
}

static uint64_t operand_value(unsigned operand, uint64_t loaded) {
  if (operand == SG_OPERAND_MEMORY) return loaded;
  return operand == SG_OPERAND_IMMEDIATE ? 0 : register_value(operand);
}

static void record(sg_compare* compare, uint64_t loaded) {
  unsigned left = 0, right = 0;
  if (!compares.registers[0]) find_registers();
  sg_compare_operands(compare, &left, &right);
  sg_coverage_compared(compares.blocks, compare, operand_value(left, loaded), operand_value(right, loaded));
}

/* Runs before the instruction. */
static void compared(unsigned vcpu, void* compare) { record(compare, 0); }

/* Runs behind the load, with the registers as they were before the instruction. */
static void loaded(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* compare) {
  qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);
  switch (value.type) {
    case QEMU_PLUGIN_MEM_VALUE_U8: record(compare, value.data.u8); break;
    case QEMU_PLUGIN_MEM_VALUE_U16: record(compare, value.data.u16); break;
    case QEMU_PLUGIN_MEM_VALUE_U32: record(compare, value.data.u32); break;
    case QEMU_PLUGIN_MEM_VALUE_U64: record(compare, value.data.u64); break;
    case QEMU_PLUGIN_MEM_VALUE_U128: break; /* no compare has it */
  }
}

void intel_gpu_compares_block(struct qemu_plugin_tb* block) {
  if (!compares.traced) return;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
    uint8_t code[MAX_INSTRUCTION];
    unsigned left = 0, right = 0;
    size_t size = qemu_plugin_insn_data(instruction, code, sizeof code);
    sg_compare* compare = sg_coverage_compare(compares.blocks, qemu_plugin_insn_vaddr(instruction), code, size);
    if (!compare) continue;
    sg_compare_operands(compare, &left, &right);
    if (left == SG_OPERAND_MEMORY || right == SG_OPERAND_MEMORY)
      qemu_plugin_register_vcpu_mem_cb(instruction, loaded, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_MEM_R, compare);
    else qemu_plugin_register_vcpu_insn_exec_cb(instruction, compared, QEMU_PLUGIN_CB_R_REGS, compare);
  }
}

bool intel_gpu_compares_trace(sg_coverage* blocks, const char* values, Error** errp) {
  char* sentence = NULL;
  bool wanted = values[0] != '\0';
  CPUState* cpu;

  if (!wanted && !compares.traced) return true;
  if (!blocks || runstate_is_running()) {
    error_setg(errp, "coverage-compares: %s", blocks ? "the machine is not stopped" : "there is no coverage");
    return false;
  }
  compares.blocks = blocks;
  if (wanted && !sg_coverage_compares_begin(blocks, values, &sentence)) {
    error_setg(errp, "%s", sentence ? sentence : "coverage-compares: there is no memory");
    sg_free(sentence);
    return false;
  }
  if (wanted != compares.traced) {
    CPU_FOREACH(cpu) { cpu->tcg_cflags ^= TRACED_CLUSTER; }
    compares.traced = wanted;
  }
  return true;
}
