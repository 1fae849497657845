/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of intel-gpu: those of -device, and those that change a running device through QOM (qom-set). */
#include "qemu/osdep.h"

#include "hw/qdev-properties.h"
#include "intel_gpu.h"
#include "properties.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/units.h"

static const Property fixed_properties[] = {
    DEFINE_PROP_SIZE("aperture", IntelGpuState, property.aperture_size, 256 * MiB),
    DEFINE_PROP_SIZE("stolen", IntelGpuState, property.stolen_size, 64 * MiB),
    DEFINE_PROP_UINT32("connectors", IntelGpuState, property.connectors, 1),
    DEFINE_PROP_UINT32("xres", IntelGpuState, property.xres, 1920),
    DEFINE_PROP_UINT32("yres", IntelGpuState, property.yres, 1080),
    DEFINE_PROP_UINT32("refresh_rate", IntelGpuState, property.refresh_rate, 60000),
    DEFINE_PROP_STRING("edid", IntelGpuState, property.edid_file),
    DEFINE_PROP_STRING("monitor0", IntelGpuState, monitors[0].spec),
    DEFINE_PROP_STRING("monitor1", IntelGpuState, monitors[1].spec),
    DEFINE_PROP_STRING("monitor2", IntelGpuState, monitors[2].spec),
    DEFINE_PROP_INT32("threads", IntelGpuState, property.threads, -1),
    DEFINE_PROP_UINT64("poll-commands", IntelGpuState, property.poll_commands, 0),
};

static const struct {
  const char *name, *text;
} descriptions[] = {
    {"aperture", "size of the CPU's window into graphics memory (BAR 2), a power of two, 128M to 4G (default 256M)"},
    {"stolen",
     "memory set aside by firmware: 0, multiples of 4M below 64M, multiples of 32M up to 2016M; on ilk 0, 1M, 4M, 8M, "
     "16M, 32M, 48M, 64M, 96M, 128M, 160M, 224M, 256M or 352M (default 64M)"},
    {"connectors", "number of HDMI connectors, 1 to 3: DDI-B, C, D (default 1)"},
    {"xres", "preferred width of the monitors in pixels (default 1920)"},
    {"yres", "preferred height of the monitors in pixels (default 1080)"},
    {"refresh_rate", "refresh rate of the preferred mode in mHz (default 60000)"},
    {"edid", "file with the EDID that every monitor has instead of a generated one"},
    {"monitor0", "first monitor, if different: WIDTHxHEIGHT, WIDTHxHEIGHT@HERTZ, edid=FILE, or off (unplugged at start)"},
    {"monitor1", "second monitor, in the same way"},
    {"monitor2", "third monitor, in the same way"},
    {"poll-commands", "threads=0: commands after which a batch that does not end gives the vCPU back for a while; 0: a second's (default)"},
    {"threads", "worker threads; 0: everything on the thread that submits; -1: one a host core (default)"},
    {"connector0", "bool, changes at run time: is the first monitor plugged in"},
    {"connector1", "bool, changes at run time: is the second monitor plugged in"},
    {"connector2", "bool, changes at run time: is the third monitor plugged in"},
    {"record", "AUB file to which submissions are recorded; at run time: a name starts, an empty string stops"},
    {"record-check", "recordings also say what each submission leaves in memory; for guests with one CPU (default off)"},
    {"faults", "file with a fault plan (docs/faults.md); at run time: a name replaces all lines, an empty string removes them"},
    {"faults-add", "write only, at run time: a line for the fault plan"},
    {"faults-text", "write only, at run time: the fault plan as text, in place of all lines"},
    {"faults-vocabulary", "read only: what a fault plan for this platform can say, as JSON"},
    {"faults-census", "'begin' counts where units ask the fault plan; a read ends that and says it, as JSON"},
    {"faults-log", "read only: the last firings of the fault plan, one per line"},
    {"report", "read only: the core's counters and engine states as JSON"},
    {"where", "read only: where each engine stands, with fields, bound state and running EU threads"},
};

static void get_connector(Object* object, Visitor* visitor, const char* name, void* opaque, Error** errp) {
  bool value = INTEL_GPU(object)->monitors[GPOINTER_TO_UINT(opaque)].plugged;
  visit_type_bool(visitor, name, &value, errp);
}

static void set_connector(Object* object, Visitor* visitor, const char* name, void* opaque, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  unsigned index = GPOINTER_TO_UINT(opaque);
  bool value;
  if (!visit_type_bool(visitor, name, &value, errp)) return;
  if (s->core && index >= s->property.connectors) {
    error_setg(errp, "%s: there are only %u connectors (property connectors)", name, s->property.connectors);
    return;
  }
  if (s->monitors[index].plugged == value) return;
  s->monitors[index].plugged = value;
  if (s->core) sg_connector_plug(s->core, index, value);
}

static char* get_record(Object* object, Error** errp) {
  const char* path = INTEL_GPU(object)->property.record_path;
  return g_strdup(path ? path : "");
}

static void set_record(Object* object, const char* path, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  char* sentence = NULL;
  if (s->core && s->property.record_path) sg_record_stop(s->core);
  g_clear_pointer(&s->property.record_path, g_free);
  if (path[0] == '\0') return;
  if (s->core && !sg_record_start(s->core, path, s->property.record_check, &sentence)) {
    error_setg(errp, "%s", sentence ? sentence : "the recording does not start");
    sg_free(sentence);
    return;
  }
  s->property.record_path = g_strdup(path);
}

static char* get_where(Object* object, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  if (!s->core) {
    error_setg(errp, "the device is not realized");
    return NULL;
  }
  return intel_gpu_taken(sg_where(s->core), "");
}

static bool get_record_check(Object* object, Error** errp) { return INTEL_GPU(object)->property.record_check; }

static void set_record_check(Object* object, bool value, Error** errp) { INTEL_GPU(object)->property.record_check = value; }

static char* get_report(Object* object, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  if (!s->core) {
    error_setg(errp, "the device is not realized");
    return NULL;
  }
  return intel_gpu_taken(sg_report(s->core), "{}");
}

void intel_gpu_add_properties(ObjectClass* klass) {
  device_class_set_props(DEVICE_CLASS(klass), fixed_properties);
  for (unsigned i = 0; i < SG_MAX_CONNECTORS; i++) {
    g_autofree char* name = g_strdup_printf("connector%u", i);
    object_class_property_add(klass, name, "bool", get_connector, set_connector, NULL, GUINT_TO_POINTER(i));
  }
  object_class_property_add_str(klass, "record", get_record, set_record);
  object_class_property_add_bool(klass, "record-check", get_record_check, set_record_check);
  object_class_property_add_str(klass, "report", get_report, NULL);
  object_class_property_add_str(klass, "where", get_where, NULL);
  intel_gpu_faults_properties(klass);
  intel_gpu_add_check_properties(klass);
  for (size_t i = 0; i < ARRAY_SIZE(descriptions); i++) {
    object_class_property_set_description(klass, descriptions[i].name, descriptions[i].text);
  }
}
