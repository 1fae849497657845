/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * softgen-harness (harness.h). Only fuzzers add it to a machine. The fuzzer sets the property `input` of the stopped machine and continues it; it
 * stops again when the agent is done, or when `limit` microseconds of guest time have passed. Nothing of this is part of a saved state.
 */
#include "qemu/osdep.h"

#include "exec/cpu-common.h"
#include "harness.h"
#include "hw/isa/isa.h"
#include "hw/qdev-properties.h"
#include "intel_gpu.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "virtual_time.h"

#define TYPE_SOFTGEN_HARNESS "softgen-harness"
OBJECT_DECLARE_SIMPLE_TYPE(Harness, SOFTGEN_HARNESS)

struct Harness {
  ISADevice parent_obj;
  uint32_t base, limit_us;
  MemoryRegion ports;
  QEMUTimer* deadline;
  GByteArray* input;
  GString* output;
  size_t taken; /* bytes of the input */
  uint32_t status;
  const char* end; /* why the machine stopped */
  int64_t begin_ns, end_ns;
};

static void end(Harness* s, const char* why) {
  s->end = why;
  s->end_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
  timer_del(s->deadline);
}

static void stop(Harness* s, const char* why) {
  end(s, why);
  /* On a vCPU's thread: it stops behind this instruction. */
  vm_stop(RUN_STATE_PAUSED);
}

/* On a vCPU's thread, where it stops the processor at once, or in the main loop. */
static void limit_reached(void* opaque) {
  end(opaque, "limit");
  if (qemu_in_vcpu_thread()) {
    vm_stop(RUN_STATE_PAUSED);
    return;
  }
  qemu_system_vmstop_request_prepare();
  qemu_system_vmstop_request(RUN_STATE_PAUSED);
}

static uint64_t port_read(void* opaque, hwaddr offset, unsigned size) {
  Harness* s = opaque;
  if (offset == HARNESS_LENGTH) return s->input->len;
  if (offset != HARNESS_DATA) return 0;
  uint32_t value = 0;
  size_t count = MIN(size, s->input->len - s->taken);
  memcpy(&value, s->input->data + s->taken, count);
  s->taken += count;
  return value;
}

static void port_write(void* opaque, hwaddr offset, uint64_t value, unsigned size) {
  Harness* s = opaque;
  switch (offset) {
    case HARNESS_DATA:
      if (s->output->len < HARNESS_MAX_BYTES) g_string_append_c(s->output, value);
      return;
    case HARNESS_STATUS: s->status = value; return;
    case HARNESS_COMMAND:
      if (value == HARNESS_READY) stop(s, "ready");
      if (value == HARNESS_DONE) stop(s, "done");
      return;
  }
}

static const MemoryRegionOps port_ops = {.read = port_read,
                                         .write = port_write,
                                         .endianness = DEVICE_LITTLE_ENDIAN,
                                         .valid = {.min_access_size = 1, .max_access_size = 4},
                                         .impl = {.min_access_size = 1, .max_access_size = 4}};

static void set_input(Object* object, const char* text, Error** errp) {
  Harness* s = SOFTGEN_HARNESS(object);
  gsize size = 0;
  if (!s->deadline || runstate_is_running()) {
    error_setg(errp, "softgen-harness: an input needs a stopped machine");
    return;
  }
  g_autofree guchar* bytes = g_base64_decode(text, &size);
  if (size > HARNESS_MAX_BYTES) {
    error_setg(errp, "softgen-harness: an input has at most %u bytes", (unsigned)HARNESS_MAX_BYTES);
    return;
  }
  if (size) {
    g_byte_array_set_size(s->input, 0);
    g_byte_array_append(s->input, bytes, size);
    s->taken = 0;
  }
  g_string_truncate(s->output, 0);
  s->status = 0;
  s->end = "none";
  s->begin_ns = s->end_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
  timer_mod(s->deadline, s->begin_ns + s->limit_us * (int64_t)SCALE_US);
}

/* The machine's GPU, or NULL. */
static Object* find_gpu(void) { return object_resolve_path_type("", TYPE_INTEL_GPU, NULL); }

/* Guest address of the OpRegion. 0 and an error: firmware has set up none. */
static uint32_t opregion(Error** errp) {
  Object* gpu = find_gpu();
  uint32_t base = gpu ? intel_gpu_opregion_address(INTEL_GPU(gpu)) : 0;
  if (!base) error_setg(errp, "softgen-harness: no firmware has set up an OpRegion");
  return base;
}

static char* get_opregion(Object* object, Error** errp) {
  uint8_t bytes[INTEL_GPU_OPREGION_SIZE];
  uint32_t base = opregion(errp);
  if (!base) return NULL;
  cpu_physical_memory_read(base, bytes, sizeof bytes);
  return g_base64_encode(bytes, sizeof bytes);
}

static void poke(Object* object, const char* text, Error** errp) {
  char* rest = NULL;
  uint64_t offset = strtoull(text, &rest, 16);
  uint64_t value = *rest == '=' ? strtoull(rest + 1, &rest, 16) : 256;
  if (*rest || value > 255 || offset >= INTEL_GPU_OPREGION_SIZE) {
    error_setg(errp, "softgen-harness: OFFSET=BYTE of the OpRegion is expected, hexadecimal");
  } else if (runstate_is_running()) {
    error_setg(errp, "softgen-harness: the machine is not stopped");
  } else {
    uint32_t base = opregion(errp);
    uint8_t byte = value;
    if (base) cpu_physical_memory_write(base + offset, &byte, 1);
  }
}

/*
 * Begins an execution with one QMP command. The request is in a file, since QEMU's monitor polls for each byte that it reads: a program of some
 * kilobytes would cost more than the restore.
 */
static void begin(Object* object, const char* path, Error** errp) {
  ERRP_GUARD();
  g_autofree char* text = NULL;
  g_autoptr(GError) error = NULL;
  if (!g_file_get_contents(path, &text, NULL, &error)) {
    error_setg(errp, "softgen-harness: %s", error->message);
    return;
  }
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  Object* gpu = find_gpu();
  if (!gpu || g_strv_length(lines) < 2) {
    error_setg(errp, "softgen-harness: a GPU, and lines with the limit, the input and the plan are expected");
    return;
  }
  if (!object_property_set_bool(gpu, "snapshot-restore", true, errp)) return;
  g_autoptr(GString) plan = g_string_new(NULL);
  for (char** line = lines + 2; *line; line++) {
    if (!g_str_has_prefix(*line, "opregion ")) {
      g_string_append_printf(plan, "%s\n", *line);
      continue;
    }
    poke(object, *line + strlen("opregion "), errp);
    if (*errp) return;
  }
  if (!object_property_set_str(gpu, "faults-text", plan->str, errp)) return;
  SOFTGEN_HARNESS(object)->limit_us = strtoul(lines[0], NULL, 10);
  set_input(object, lines[1], errp);
  if (!*errp) vm_start();
}

static char* get_outcome(Object* object, Error** errp) {
  Harness* s = SOFTGEN_HARNESS(object);
  if (!s->deadline) return g_strdup("{}");
  int64_t end_ns = g_str_equal(s->end, "none") ? qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) : s->end_ns;
  g_autofree char* output = g_base64_encode((const guchar*)s->output->str, s->output->len);
  return g_strdup_printf("{\"end\": \"%s\", \"status\": %u, \"begin_ns\": %" PRId64 ", \"time_ns\": %" PRId64
                         ", \"taken\": %zu, \"output\": \"%s\"}",
                         s->end, s->status, s->begin_ns, end_ns - s->begin_ns, s->taken, output);
}

static void realize(DeviceState* dev, Error** errp) {
  Harness* s = SOFTGEN_HARNESS(dev);
  s->input = g_byte_array_new();
  s->output = g_string_new(NULL);
  s->end = "none";
  s->deadline = timer_new_ns(QEMU_CLOCK_VIRTUAL, limit_reached, s);
  memory_region_init_io(&s->ports, OBJECT(dev), &port_ops, s, TYPE_SOFTGEN_HARNESS, HARNESS_SIZE);
  isa_register_ioport(ISA_DEVICE(dev), &s->ports, s->base);
  intel_gpu_virtual_time_begin();
}

static void get_limit(Object* object, Visitor* v, const char* name, void* opaque, Error** errp) {
  visit_type_uint32(v, name, &SOFTGEN_HARNESS(object)->limit_us, errp);
}

static void set_limit(Object* object, Visitor* v, const char* name, void* opaque, Error** errp) {
  visit_type_uint32(v, name, &SOFTGEN_HARNESS(object)->limit_us, errp);
}

static const Property properties[] = {DEFINE_PROP_UINT32("iobase", Harness, base, HARNESS_BASE)};

static void instance_init(Object* object) { SOFTGEN_HARNESS(object)->limit_us = 10000000; }

static void class_init(ObjectClass* klass, void* data) {
  DeviceClass* device = DEVICE_CLASS(klass);
  device->desc = "Port between a fuzzer and its agent in the guest";
  device->realize = realize;
  device->user_creatable = true;
  /* Its timer's callback has a pointer to it. */
  device->hotpluggable = false;
  device_class_set_props(device, properties);
  object_class_property_add(klass, "limit", "uint32", get_limit, set_limit, NULL, NULL);
  object_class_property_set_description(klass, "limit", "microseconds of guest time after which an execution ends (default: 10000000)");
  object_class_property_add_str(klass, "input", NULL, set_input);
  object_class_property_set_description(
      klass, "input", "write only, of a stopped machine: the next execution's input, in base64; empty: the agent has one already");
  object_class_property_add_str(klass, "begin", NULL, begin);
  object_class_property_set_description(
      klass, "begin",
      "write only: the path of a file with limit and input (a line each, as the properties take them), then a fault plan, which may have lines "
      "opregion OFFSET=BYTE; restores the snapshot and continues");
  object_class_property_add_str(klass, "opregion", get_opregion, NULL);
  object_class_property_set_description(klass, "opregion", "read only: the OpRegion in guest memory, in base64");
  object_class_property_add_str(klass, "opregion-byte", NULL, poke);
  object_class_property_set_description(klass, "opregion-byte",
                                        "write only, of a stopped machine: OFFSET=BYTE, hexadecimal, changes the OpRegion");
  object_class_property_add_str(klass, "outcome", get_outcome, NULL);
  object_class_property_set_description(klass, "outcome", "read only: how the last execution ended, as JSON");
}

static const TypeInfo harness_type = {.name = TYPE_SOFTGEN_HARNESS,
                                      .parent = TYPE_ISA_DEVICE,
                                      .instance_size = sizeof(Harness),
                                      .instance_init = instance_init,
                                      .class_init = class_init};

void softgen_harness_register_types(void) { type_register_static(&harness_type); }
