/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checker (docs/check.md): the property `check`, its findings as warnings and as the QMP event SOFTGEN_CHECK. */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "properties.h"
#include "qapi/error.h"
#include "qapi/qapi-emit-events.h"
#include "qapi/qmp-event.h"
#include "qemu/error-report.h"
#include "qobject/qdict.h"
#include "qobject/qjson.h"

/* The core gives each finding once, and a few of each rule, so this cannot flood. */
static void finding(void* opaque, const char* text, const char* json) {
  warn_report("intel-gpu: %s", text);
  QObject* data = qobject_from_json(json, NULL);
  if (!data) return;
  QDict* event = qmp_event_build_dict("SOFTGEN_CHECK");
  qdict_put_obj(event, "data", data);
  /* The number only says how often events of a kind may come; STOP's may always. The schema of a stock QEMU has no event of ours. */
  qapi_event_emit(QAPI_EVENT_STOP, event);
  qobject_unref(event);
}

bool intel_gpu_check_start(IntelGpuState* s, Error** errp) {
  char* sentence = NULL;
  if (!s->property.check || sg_check_start(s->core, s->property.check, finding, s, &sentence)) return true;
  error_setg(errp, "%s", sentence ? sentence : "the checker does not start");
  sg_free(sentence);
  return false;
}

static char* get_check(Object* object, Error** errp) {
  const char* what = INTEL_GPU(object)->property.check;
  return g_strdup(what ? what : "off");
}

/* "off" ends it; anything else starts it anew. */
static void set_check(Object* object, const char* what, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  g_clear_pointer(&s->property.check, g_free);
  bool off = what[0] == '\0' || g_str_equal(what, "off");
  if (!off) s->property.check = g_strdup(what);
  if (!s->core) return;
  if (off) {
    sg_check_stop(s->core);
  } else if (!intel_gpu_check_start(s, errp)) {
    g_clear_pointer(&s->property.check, g_free);
  }
}

static char* get_check_report(Object* object, Error** errp) {
  IntelGpuState* s = INTEL_GPU(object);
  if (!s->core) {
    error_setg(errp, "the device is not realized");
    return NULL;
  }
  char* report = sg_check_report(s->core);
  char* copy = g_strdup(report ? report : "{}");
  sg_free(report);
  return copy;
}

void intel_gpu_add_check_properties(ObjectClass* klass) {
  object_class_property_add_str(klass, "check", get_check, set_check);
  object_class_property_set_description(
      klass, "check",
      "report what the documentation forbids or leaves undefined: on, or commands,+RULE,-RULE,@SUPPRESSIONS (each comma doubled in -device); at run "
      "time, too; off (default)");
  object_class_property_add_str(klass, "check-report", get_check_report, NULL);
  object_class_property_set_description(klass, "check-report", "read only: all findings of the checker as JSON");
}
