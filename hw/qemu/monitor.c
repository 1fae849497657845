/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The monitors: their EDIDs by property, and DDC through QEMU's I2C core. QEMU's own i2c-ddc is not enough
 * here: it serves one block of 128 bytes which it generates before its properties are set; HDMI needs the
 * extension block.
 */
#include "qemu/osdep.h"

#include "intel_gpu.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/module.h"

#define DDC_ADDRESS 0x50
#define DDC_SEGMENT_ADDRESS 0x30

/* ---- DDC device ---- */
static bool ddc_match(I2CSlave* slave, uint8_t address, bool broadcast, I2CNodeList* current) {
  IntelGpuDdc* ddc = INTEL_GPU_DDC(slave);
  if (broadcast || (address != DDC_ADDRESS && address != DDC_SEGMENT_ADDRESS)) return false;
  ddc->to_segment = address == DDC_SEGMENT_ADDRESS;
  I2CNode* node = g_new(I2CNode, 1);
  node->elt = slave;
  QLIST_INSERT_HEAD(current, node, next);
  return true;
}

static int ddc_event(I2CSlave* slave, enum i2c_event event) {
  IntelGpuDdc* ddc = INTEL_GPU_DDC(slave);
  if (event == I2C_START_SEND) ddc->offset_written = false;
  if (event == I2C_FINISH) ddc->segment = 0; /* the segment lasts for one transfer (E-DDC 1.2, 2.2.5) */
  return 0;
}

static uint8_t ddc_receive(I2CSlave* slave) {
  IntelGpuDdc* ddc = INTEL_GPU_DDC(slave);
  uint32_t place = ddc->segment * 256u + ddc->offset++;
  return place < ddc->edid_size ? ddc->edid[place] : 0;
}

static int ddc_send(I2CSlave* slave, uint8_t byte) {
  IntelGpuDdc* ddc = INTEL_GPU_DDC(slave);
  if (ddc->to_segment) {
    ddc->segment = byte;
  } else if (!ddc->offset_written) {
    ddc->offset = byte;
    ddc->offset_written = true;
  }
  return 0; /* data bytes: the EDID memory is write-protected */
}

static void ddc_reset(DeviceState* dev) {
  IntelGpuDdc* ddc = INTEL_GPU_DDC(dev);
  ddc->segment = ddc->offset = 0;
  ddc->offset_written = ddc->to_segment = false;
}

static const VMStateDescription vmstate_ddc = {
    .name = TYPE_INTEL_GPU_DDC,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]){VMSTATE_I2C_SLAVE(parent_obj, IntelGpuDdc), VMSTATE_UINT8(segment, IntelGpuDdc),
                                     VMSTATE_UINT8(offset, IntelGpuDdc), VMSTATE_BOOL(offset_written, IntelGpuDdc),
                                     VMSTATE_BOOL(to_segment, IntelGpuDdc), VMSTATE_END_OF_LIST()}};

static void ddc_class_init(ObjectClass* klass, void* data) {
  I2CSlaveClass* slave = I2C_SLAVE_CLASS(klass);
  device_class_set_legacy_reset(DEVICE_CLASS(klass), ddc_reset);
  DEVICE_CLASS(klass)->vmsd = &vmstate_ddc;
  DEVICE_CLASS(klass)->desc = "monitor on an intel-gpu connector";
  DEVICE_CLASS(klass)->user_creatable = false;
  slave->match_and_add = ddc_match;
  slave->event = ddc_event;
  slave->recv = ddc_receive;
  slave->send = ddc_send;
}

static const TypeInfo ddc_type = {
    .name = TYPE_INTEL_GPU_DDC,
    .parent = TYPE_I2C_SLAVE,
    .instance_size = sizeof(IntelGpuDdc),
    .class_init = ddc_class_init,
};

void intel_gpu_ddc_register_types(void) { type_register_static(&ddc_type); }

/* ---- monitors ---- */
/* "WxH", "WxH@Hz" (frequency with up to three decimals) */
static bool parse_mode(const char* spec, uint32_t* width, uint32_t* height, uint32_t* rate) {
  unsigned w, h;
  int used = 0;
  if (sscanf(spec, "%5ux%5u%n", &w, &h, &used) != 2) return false;
  *width = w;
  *height = h;
  if (spec[used] == '\0') return true;
  char* end;
  if (spec[used] != '@' || !g_ascii_isdigit(spec[used + 1])) return false;
  double hz = g_ascii_strtod(spec + used + 1, &end);
  if (*end != '\0' || !(hz >= 1 && hz <= 1000)) return false;
  *rate = hz * 1000 + 0.5;
  return true;
}

static bool make_edid(IntelGpuState* s, IntelGpuMonitor* monitor, Error** errp) {
  uint32_t width = s->property.xres, height = s->property.yres, rate = s->property.refresh_rate;
  const char* file = s->property.edid_file;
  const char* spec = monitor->spec;
  if (spec && strstart(spec, "edid=", &file)) {
    /* this monitor's own file */
  } else if (spec && !g_str_equal(spec, "off")) {
    file = NULL;
    if (!parse_mode(spec, &width, &height, &rate)) {
      error_setg(errp, "monitor%u='%s' is none of WIDTHxHEIGHT, WIDTHxHEIGHT@HERTZ, edid=FILE, off", monitor->index, spec);
      return false;
    }
  }
  monitor->edid =
      file ? intel_gpu_edid_load(file, &monitor->edid_size, errp) : intel_gpu_edid_generate(width, height, rate, &monitor->edid_size, errp);
  return monitor->edid != NULL;
}

bool intel_gpu_monitors_init(IntelGpuState* s, Error** errp) {
  for (unsigned i = 0; i < SG_MAX_CONNECTORS; i++) {
    IntelGpuMonitor* monitor = &s->monitors[i];
    if (i >= s->property.connectors) {
      if (monitor->spec) {
        error_setg(errp, "monitor%u is set but there are only %u connectors (property connectors)", i, s->property.connectors);
        return false;
      }
      continue;
    }
    if (!make_edid(s, monitor, errp)) return false;
    monitor->plugged = !(monitor->spec && g_str_equal(monitor->spec, "off"));
    g_autofree char* name = g_strdup_printf("ddc%u", i);
    monitor->bus = i2c_init_bus(DEVICE(s), name);
    I2CSlave* slave = i2c_slave_new(TYPE_INTEL_GPU_DDC, DDC_ADDRESS);
    INTEL_GPU_DDC(slave)->edid = monitor->edid;
    INTEL_GPU_DDC(slave)->edid_size = monitor->edid_size;
    if (!i2c_slave_realize_and_unref(slave, monitor->bus, errp)) return false;
  }
  return true;
}

void intel_gpu_monitors_exit(IntelGpuState* s) {
  for (unsigned i = 0; i < SG_MAX_CONNECTORS; i++) {
    IntelGpuMonitor* monitor = &s->monitors[i];
    if (monitor->bus) object_unparent(OBJECT(monitor->bus));
    monitor->bus = NULL;
    g_clear_pointer(&monitor->edid, g_free);
  }
}

IntelGpuMonitor* intel_gpu_monitor_of_pin(IntelGpuState* s, unsigned pin) {
  for (unsigned i = 0; i < s->property.connectors; i++) {
    if (s->platform->ddc[i].pin == pin) return &s->monitors[i];
  }
  return NULL;
}
