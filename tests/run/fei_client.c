// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into Media SDK's samples of FEI, before softgen-run's library.
// - Media SDK asks for a configuration with one predictor when it is to make decisions alone (ENC), or to code alone (PAK). iHD accepts none but its own number.
// - iHD has FEI's kernels for Skylake alone, whose render engine is Kaby Lake's: with SOFTGEN_CHIP that is the chip that it sees.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <i915_drm.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <va/va.h>

enum { max_attributes = 16, predictors = 4 };

VAStatus vaCreateConfig(VADisplay display, VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib* attributes, int count,
                        VAConfigID* config) {
  static __typeof__(&vaCreateConfig) next;
  if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, "vaCreateConfig");
  VAConfigAttrib changed[max_attributes];
  if (entrypoint != VAEntrypointFEI || count > max_attributes) return next(display, profile, entrypoint, attributes, count, config);
  memcpy(changed, attributes, (size_t)count * sizeof *changed);
  for (int i = 0; i < count; ++i)
    if ((int)changed[i].type == VAConfigAttribFEIMVPredictors) changed[i].value = predictors;
  return next(display, profile, entrypoint, changed, count, config);
}

int ioctl(int descriptor, unsigned long request, ...) {
  static int (*next)(int, unsigned long, ...);
  if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, "ioctl");
  va_list more;
  va_start(more, request);
  void* const argument = va_arg(more, void*);
  va_end(more);
  const int result = next(descriptor, request, argument);
  const char* const chip = getenv("SOFTGEN_CHIP");
  if (!result && request == DRM_IOCTL_I915_GETPARAM && chip) {
    const struct drm_i915_getparam* const asked = argument;
    if (asked->param == I915_PARAM_CHIPSET_ID) *asked->value = (int)strtol(chip, NULL, 16);
  }
  return result;
}
