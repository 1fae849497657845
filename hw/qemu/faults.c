/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault plans (docs/faults.md): the properties that begin with faults, and the QMP event SOFTGEN_FAULT. */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "properties.h"
#include "qapi/error.h"
#include "qapi/qapi-emit-events.h"
#include "qapi/qmp-event.h"
#include "qobject/qdict.h"

static void set_core_error(Error** errp, char* sentence) {
  error_setg(errp, "%s", sentence ? sentence : "the GPU core gave no reason");
  sg_free(sentence);
}

bool intel_gpu_faults_load(IntelGpuState* s, Error** errp) {
  char* sentence = NULL;
  if (!s->property.faults_path || sg_faults_load(s->core, s->property.faults_path, &sentence)) return true;
  set_core_error(errp, sentence);
  return false;
}

static char* get_faults(Object* object, Error** errp) {
  const char* path = INTEL_GPU(object)->property.faults_path;
  return g_strdup(path ? path : "");
}

static void set_faults(Object* object, const char* path, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  g_autofree char* before = g_steal_pointer(&s->property.faults_path);
  if (path[0] == '\0') {
    if (s->core) sg_faults_clear(s->core);
    return;
  }
  s->property.faults_path = g_strdup(path);
  if (!s->core || intel_gpu_faults_load(s, errp)) return;
  g_free(s->property.faults_path);
  s->property.faults_path = g_steal_pointer(&before);
}

static bool is_realized(IntelGpuState* s, Error** errp) {
  if (!s->core) error_setg(errp, "the device is not realized");
  return s->core;
}

static void change(Object* object, const char* text, bool (*function)(sg_device*, const char*, char**), Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  char* sentence = NULL;
  if (is_realized(s, errp) && !function(s->core, text, &sentence)) set_core_error(errp, sentence);
}

static void add_fault(Object* object, const char* line, Error** errp) { change(object, line, sg_faults_add, errp); }

static void set_text(Object* object, const char* text, Error** errp) { change(object, text, sg_faults_set, errp); }

static char* get_log(Object* object, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  return is_realized(s, errp) ? intel_gpu_taken(sg_faults_log(s->core), "") : NULL;
}

static char* get_vocabulary(Object* object, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  return is_realized(s, errp) ? intel_gpu_taken(sg_faults_vocabulary(s->core), "") : NULL;
}

static char* end_census(Object* object, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  return is_realized(s, errp) ? intel_gpu_taken(sg_faults_census_end(s->core), "") : NULL;
}

static void begin_census(Object* object, const char* text, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  if (!is_realized(s, errp)) return;
  if (!g_str_equal(text, "begin")) {
    error_setg(errp, "faults-census: 'begin' is expected");
    return;
  }
  sg_faults_census_begin(s->core);
}

/*
 * The event is none of QEMU's schema: clients know it by its name. The enum decides on the limit of its rate
 * alone (monitor/monitor.c, monitor_qapi_event_conf), and DEVICE_DELETED has none. Thread-safe.
 */
static void host_fault(void* opaque, const sg_fault* fault) {
  QDict* event = qmp_event_build_dict("SOFTGEN_FAULT");
  QDict* data = qdict_new();
  qdict_put_int(data, "time", fault->time_ns);
  qdict_put_int(data, "line", fault->line);
  qdict_put_int(data, "count", fault->count);
  qdict_put_str(data, "point", fault->point);
  qdict_put_str(data, "where", fault->where);
  qdict_put_str(data, "text", fault->text);
  qdict_put(event, "data", data);
  qapi_event_emit(QAPI_EVENT_DEVICE_DELETED, event);
  qobject_unref(event);
}

void intel_gpu_faults_host_ops(sg_host_ops* ops) { ops->fault = host_fault; }

void intel_gpu_faults_properties(ObjectClass* klass) {
  object_class_property_add_str(klass, "faults", get_faults, set_faults);
  object_class_property_add_str(klass, "faults-add", NULL, add_fault);
  object_class_property_add_str(klass, "faults-text", NULL, set_text);
  object_class_property_add_str(klass, "faults-log", get_log, NULL);
  object_class_property_add_str(klass, "faults-vocabulary", get_vocabulary, NULL);
  object_class_property_add_str(klass, "faults-census", end_census, begin_census);
}
