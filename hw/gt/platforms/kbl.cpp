// SPDX-License-Identifier: GPL-2.0-or-later
// Kaby Lake.
#include "hw/cs/submission/elsp.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/metric_sets/gen9.h"
#include "hw/display/skl/display.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/gt/engines/gen8.h"
#include "hw/gt/platforms/all.h"
#include "hw/mmio/interrupts/gen8.h"

namespace softgen::gt::platforms {

const Parts kbl{.name = "kbl",
                .isa = eu::gen9_isa,
                .interrupts = mmio::gen8_interrupts,
                .submission = cs::elsp,
                .display = display::skl,
                .engines = gen8_engines,
                .power_control = true,
                .observation = &oa::oa,
                .guc = &guc::gen9_layout,
                .metric_sets = defs::gen9::kbl_metric_sets,
                .surface_state = surface::decode_surface<defs::Gen9>,
                .sampler_state = sampler::decode_state<defs::Gen9>,
                .state_decoder = render::make_state_decoder<defs::Gen9>,
                .media_decoder = gpgpu::make_decoder<defs::Gen9>,
                .huc_decoder = media::make_huc_decoder<defs::Gen9>,
                .video_packets = media::make_video_packets<defs::Gen9>,
                .vebox_decoder = media::make_vebox_decoder<defs::Gen9>};

}  // namespace softgen::gt::platforms
