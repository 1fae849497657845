// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake.
#include "hw/cs/submission/elsq.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/metric_sets/gen11.h"
#include "hw/display/icl/display.h"
#include "hw/eu/isa/gen11/isa.h"
#include "hw/gt/engines/gen8.h"
#include "hw/gt/platforms/all.h"
#include "hw/mmio/interrupts/gen11.h"

namespace softgen::gt::platforms {

const Parts icl{.name = "icl",
                .isa = eu::gen11_isa,
                .interrupts = mmio::gen11_interrupts,
                .submission = cs::elsq_gen11,
                .display = display::icl,
                .engines = gen8_engines,
                .power_control = true,
                .observation = &oa::oa,
                .guc = &guc::gen11_layout,
                .metric_sets = defs::gen11::icl_metric_sets,
                .surface_state = surface::decode_surface<defs::Gen11>,
                .sampler_state = sampler::decode_state<defs::Gen11>,
                .state_decoder = render::make_state_decoder<defs::Gen11>,
                .media_decoder = gpgpu::make_decoder<defs::Gen11>,
                .huc_decoder = media::make_huc_decoder<defs::Gen11>,
                .video_packets = media::make_video_packets<defs::Gen11>,
                .vebox_decoder = media::make_vebox_decoder<defs::Gen11>};

}  // namespace softgen::gt::platforms
