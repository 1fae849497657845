/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C ABI of the core: what a front end (the QEMU device, the replayer, the preloaded DRM node) may call.
 *
 * Threads: "vCPU" calls (registers, aperture, GTT window, memory map, display, state) are made under one lock of the front end (QEMU's
 * big lock), so never two at a time, except where a line says "any thread". The core's engine threads run beside them and call the
 * host operations marked "any thread". No call blocks on a running batch, except those marked "waits".
 * Errors: functions with `char **error` return NULL/false and set *error to one malloc'ed sentence.
 */
#ifndef SOFTGEN_SOFTGEN_H
#define SOFTGEN_SOFTGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SG_ABI_VERSION 3
#define SG_MAX_PIPES 4
#define SG_MAX_CONNECTORS 3

typedef struct sg_device sg_device;

enum sg_log_kind { SG_LOG_GUEST_ERROR, SG_LOG_UNSUPPORTED, SG_LOG_UNIMPLEMENTED, SG_LOG_NOTE };

/* Timers a device asks its host for. Pipe timers fire at vertical blank. */
enum sg_timer { SG_TIMER_PIPE_A, SG_TIMER_PIPE_B, SG_TIMER_PIPE_C, SG_TIMER_PIPE_D, SG_TIMER_GMBUS, SG_TIMER_MISC, SG_TIMER_COUNT };

/* That a line of the fault plan has fired. Strings are gone when the call is over. */
typedef struct sg_fault {
  int64_t time_ns; /* guest time */
  unsigned line;
  uint64_t count;    /* of this line's firings, this one included */
  const char* point; /* "irq" */
  const char* where; /* "source=rcs.user" */
  const char* text;  /* the line */
} sg_fault;

typedef struct sg_host_ops {
  void* opaque;
  /* Guest time in ns, monotonic, stops with the VM. Any thread. */
  int64_t (*clock_ns)(void* opaque);
  /* Arms timer `id` (enum sg_timer) for guest time `deadline_ns`, or disarms it (< 0). When it expires the front end calls
     * sg_timer_expired(). Any thread. */
  void (*timer_set)(void* opaque, unsigned id, int64_t deadline_ns);
  /* The level of the device's one interrupt (MSI is sent on its rising edge). Any thread; calls are in order. */
  void (*interrupt)(void* opaque, bool level);
  /* One line of text without newline. Any thread. May be NULL (standard error). */
  void (*log)(void* opaque, enum sg_log_kind kind, const char* line);
  /* Something shown on `pipe` may have changed (flip, mode, cursor, gamma): refresh soon. Any thread. May be NULL. */
  void (*display_changed)(void* opaque, unsigned pipe);
  /* The picture that sg_display_refresh() asked for is there. Any thread. May be NULL. */
  void (*display_ready)(void* opaque, unsigned pipe);
  /* An engine wrote entries of the GTT (MI_UPDATE_GTT): what was derived from it, as mappings of the aperture, is stale. Any thread.
     * May be NULL. */
  void (*gtt_changed)(void* opaque);
  /* I2C of GMBUS pin pair `pin` (SKL PRM vol 12, GMBUS0), for DDC. NULL or start() != 0: no device answers (NAK). vCPU lock held,
     * except when a privileged batch writes GMBUS registers: a front end that must not be entered then refuses start(). */
  int (*i2c_start)(void* opaque, unsigned pin, uint8_t address, bool is_receive);
  int (*i2c_send)(void* opaque, unsigned pin, uint8_t byte);
  uint8_t (*i2c_receive)(void* opaque, unsigned pin);
  void (*i2c_end)(void* opaque, unsigned pin);
  /* The front end's VGA core, used by sg_vga_read() and sg_vga_write(); all five or none (NULL: ports read 0xff, writes are dropped).
     * vCPU lock held; the last two also come from sg_device_new(), sg_reset() and sg_load(). A port that the device passes on: */
  uint8_t (*vga_read)(void* opaque, uint16_t port);
  void (*vga_write)(void* opaque, uint16_t port, uint8_t value);
  /* the memory read latch of the plane that GR04 selects; */
  uint8_t (*vga_latch)(void* opaque);
  /* what the DAC shows for pixel value `index`, as written to the palette; */
  void (*vga_color)(void* opaque, uint8_t index, uint8_t red, uint8_t green, uint8_t blue);
  /* which 64 KiB of VGA memory 0xA0000 shows; a page beyond its end wraps. */
  void (*vga_page)(void* opaque, uint32_t page);
  /* Guest wrote OpRegion SWSCI (driver's call to firmware): NULL when there is no OpRegion. */
  void (*swsci)(void* opaque);
  /* A line of the fault plan has fired: each of its first 16 times, then the 32nd, 64th and so on. Any thread, with locks of the device held:
     * it calls nothing of the device. May be NULL. */
  void (*fault)(void* opaque, const sg_fault* fault);
} sg_host_ops;

typedef struct sg_config {
  const char* platform; /* "kbl" */
  unsigned threads;     /* worker threads in addition to the engine threads; 0: everything in submission order on the calling thread */
  /* threads=0: commands after which a batch that does not end gives the calling thread back, until the next access or timer; 0: as many as
   * take about a second. */
  uint64_t poll_commands;
  uint64_t aperture_size; /* bytes of BAR2, a power of two, 128 MiB to 4 GiB */
  uint64_t stolen_base;   /* guest physical; 0 until firmware has set BDSM (sg_set_stolen) */
  uint64_t stolen_size;
  uint32_t connected; /* bit i: monitor on connector i (DDI-B, C, D) at start */
  /* A check: after so many commands an engine's running context is preempted at the next arbitration point, saved, and restored from its image;
   * 0: never. sg_report() has how often. Without effect where there are no execlists. */
  unsigned preempt_commands;
} sg_config;

typedef struct sg_bar_range {
  uint64_t offset, size;
} sg_bar_range;

/* What is fixed about a platform, for the front end's PCI config space. */
typedef struct sg_platform_info {
  const char* name; /* "kbl" */
  const char* description;
  uint16_t pci_device_id;
  uint8_t pci_revision;
  uint64_t bar0_size;      /* MMIO + GTT window */
  uint64_t gtt_offset;     /* of the GTT window in BAR0 */
  unsigned gtt_entry_size; /* bytes, 4 or 8 */
  sg_bar_range fences[2];  /* where the fence registers are in BAR0; size 0: not there */
  unsigned engines;
  unsigned pipes;
  unsigned stolen_base_offset, stolen_base_size; /* BDSM in configuration space: 4 or 8 bytes */
  unsigned bridge_gmch_offset;                   /* GMCH_CTRL in the host bridge's; 0: GGC at 50h in the device's own */
  const char* vbt_name;                          /* in the signature of a Video BIOS Table */
  struct {
    unsigned pin;                   /* GMBUS pin pair, as i2c_start() has it */
    unsigned in_vbt;                /* as a Video BIOS Table names it */
    unsigned dvo_port, aux_channel; /* the port and its AUX channel there */
  } ddc[SG_MAX_CONNECTORS];
} sg_platform_info;

/* NULL for an unknown name. */
const sg_platform_info* sg_platform(const char* name);
/* All platforms, by index; NULL after the last. */
const sg_platform_info* sg_platform_at(unsigned index);

/* Both structs are copied. */
sg_device* sg_device_new(const sg_config* config, const sg_host_ops* ops, char** error);
/* Waits for the engines. */
void sg_device_free(sg_device* dev);

/* ---- guest memory -------------------------------------------------------------------------------------------------------------- */
/* Between begin and commit no engine touches guest memory. begin waits for engines to reach a command boundary. */
void sg_memory_begin(sg_device* dev);
void sg_memory_add(sg_device* dev, uint64_t gpa, uint64_t size, void* host, bool readonly);
void sg_memory_remove(sg_device* dev, uint64_t gpa, uint64_t size);
void sg_memory_commit(sg_device* dev);
/* Starts or stops recording which pages the device writes. */
void sg_dirty_log(sg_device* dev, bool on);
/* Calls back for each run of pages written in [gpa, gpa+size) since the last call, and forgets them. */
void sg_dirty_sync(sg_device* dev, uint64_t gpa, uint64_t size, void (*dirty)(void* opaque, uint64_t gpa, uint64_t size), void* opaque);
/* Firmware placed stolen memory (config BDSM/GGC written). */
void sg_set_stolen(sg_device* dev, uint64_t base, uint64_t size);

/* ---- registers and aperture ---------------------------------------------------------------------------------------------------- */
/* BAR0; size 1, 2, 4 or 8; offset + size <= bar0_size. */
uint64_t sg_bar0_read(sg_device* dev, uint64_t offset, unsigned size);
void sg_bar0_write(sg_device* dev, uint64_t offset, uint64_t value, unsigned size);
/* A VGA port, 0x3b0 to 0x3df; BAR0 has the same registers at the same offsets. Calls the vga_ operations. */
uint8_t sg_vga_read(sg_device* dev, uint16_t port);
void sg_vga_write(sg_device* dev, uint16_t port, uint8_t value);
/* BAR2: through the GGTT, with fence detiling; size 1, 2, 4 or 8. */
uint64_t sg_aperture_read(sg_device* dev, uint64_t offset, unsigned size);
void sg_aperture_write(sg_device* dev, uint64_t offset, uint64_t value, unsigned size);
/* The OpRegion's SWSCI and config-space side effects are the front end's. */

/* Host pointer of one 4 KiB aperture page when it may be mapped directly (present, no fence); NULL otherwise. */
void* sg_aperture_page(sg_device* dev, uint64_t offset);

enum sg_reset_kind { SG_RESET_POWER, SG_RESET_FLR, SG_RESET_WAKEUP };
/* Waits. After it the device is as new; WAKEUP, of a suspend to RAM: but for the GGTT, whose entries are in stolen memory, which has kept its
 * content. Linux 6.1 does not write them again (i915 gt/intel_ggtt.c, suspend_retains_ptes). */
void sg_reset(sg_device* dev, enum sg_reset_kind kind);
void sg_timer_expired(sg_device* dev, unsigned id);

/* ---- display ------------------------------------------------------------------------------------------------------------------- */
typedef struct sg_pipe_mode {
  bool active;            /* pipe on and its DDI enabled: a picture leaves the chip */
  int connector;          /* 0..2 = DDI-B..D, -1: none */
  uint32_t width, height; /* active size of the transcoder: what the monitor shows */
  uint32_t refresh_mhz;   /* milli-Hertz */
} sg_pipe_mode;

typedef struct sg_dirty_rect {
  uint32_t x, y, width, height;
} sg_dirty_rect;

void sg_display_mode(sg_device* dev, unsigned pipe, sg_pipe_mode* mode);
/* Asks for a picture of what pipe shows now (planes, cursor, scaling, gamma). The device composes it on a thread of its own; ops.display_ready
 * follows, also when the pipe is off, and until then more calls for the same pipe do nothing. `look`: compose even where only
 * pixels in memory may have changed (else a static picture is composed less often). With threads=0 display_ready comes in the call, and
 * sg_display_draw() composes. Works while the device is paused, too. */
void sg_display_refresh(sg_device* dev, unsigned pipe, bool look);
/* Size of the picture that sg_display_draw() would give; 0, 0: there is none now. */
void sg_display_picture(sg_device* dev, unsigned pipe, uint32_t* width, uint32_t* height);
/* Copies the picture that was composed last into `pixels` (x8r8g8b8, `height` rows of `width` pixels, `stride` bytes a row), where it differs
 * from what the last call for this pipe copied, and returns in `dirty` the bounding box of what changed (empty: nothing). Draws nothing when
 * the picture is not width x height: the guest may change the mode at any time. `full`: all of it. */
void sg_display_draw(sg_device* dev, unsigned pipe, void* pixels, uint32_t width, uint32_t height, size_t stride, bool full,
                     sg_dirty_rect* dirty);
/* True while the VGA core shows (i915 has not taken over: VGA plane not disabled, no pipe active). */
bool sg_display_is_vga(sg_device* dev);
/* Monitor plugged in or out: live status, hot-plug interrupt. */
void sg_connector_plug(sg_device* dev, unsigned connector, bool connected);

/* ---- running, state, observation ----------------------------------------------------------------------------------------------- */
/* Engines stop at the next command boundary (waits) / go on. For vm stop, savevm. Counted: as many resumes as pauses. */
void sg_pause(sg_device* dev);
void sg_resume(sg_device* dev);
/* Whole state without guest RAM, while paused. *data is malloc'ed. */
bool sg_save(sg_device* dev, void** data, size_t* size, char** error);
bool sg_load(sg_device* dev, const void* data, size_t size, char** error);

/* Records all submissions into an AUB file until sg_record_stop. `check`: the write that submits returns when the engines are idle, and the
 * file also says what the submission left in the pages its contexts map, which softgen-replay then compares. Nothing else may write to
 * those pages meanwhile: for guests with one CPU. */
bool sg_record_start(sg_device* dev, const char* path, bool check, char** error);
void sg_record_stop(sg_device* dev);
/* The fault plan (docs/faults.md): a file, or a text, replaces all lines; a line is added; all are removed. A plan that is wrong changes nothing. */
bool sg_faults_load(sg_device* dev, const char* path, char** error);
bool sg_faults_set(sg_device* dev, const char* text, char** error);
bool sg_faults_add(sg_device* dev, const char* line, char** error);
void sg_faults_clear(sg_device* dev);
/* What the guest reads of the dword at `offset`, a multiple of 4, of PCI configuration space, which has `value`: the plan may change it. */
uint32_t sg_faults_config_read(sg_device* dev, uint32_t offset, uint32_t value);
/* malloc'ed text: the last 1000 firings, one per line: guest time, line, point, how often. Any thread. */
char* sg_faults_log(sg_device* dev);
/* For programs that write plans (docs/fuzzing.md), malloc'ed JSON: what a plan for this platform can say; and between begin and end of a census,
 * at which sites units asked, and how often. */
char* sg_faults_vocabulary(sg_device* dev);
void sg_faults_census_begin(sg_device* dev);
char* sg_faults_census_end(sg_device* dev);

/* Starts the checker, level `commands` (docs/check.md): `what` is as softgen-replay's --check=… takes it. `found` gets each finding that is new, as text of
 * several lines and as a JSON object; any thread. NULL: standard error. Waits for the engines to stand at a command boundary. */
typedef void (*sg_check_found)(void* opaque, const char* text, const char* json);
bool sg_check_start(sg_device* dev, const char* what, sg_check_found found, void* opaque, char** error);
void sg_check_stop(sg_device* dev);
/* malloc'ed JSON of all findings so far, "{}" without a checker. Not while the checker is started or stopped; else any thread. */
char* sg_check_report(sg_device* dev);
/* malloc'ed JSON: failure counts, commands, engine state ("where does it hang"). Any thread. */
char* sg_report(sg_device* dev);
/* malloc'ed text: the command that each engine is at with its fields, the state bound there, the EU threads that run with their
 * registers. Waits a moment for them. Any thread. */
char* sg_where(sg_device* dev);
/* free() for what this library malloc'ed. */
void sg_free(void* p);

#ifdef __cplusplus
}
#endif
#endif
