// SPDX-License-Identifier: GPL-2.0-or-later
// Tiger Lake.
#include "hw/cs/submission/elsq.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/metric_sets/gen12.h"
#include "hw/display/tgl/display.h"
#include "hw/eu/isa/gen12/isa.h"
#include "hw/gt/engines/gen8.h"
#include "hw/gt/platforms/all.h"
#include "hw/mmio/interrupts/gen11.h"

namespace softgen::gt::platforms {

const Parts tgl{.name = "tgl",
                .isa = eu::gen12_isa,
                .interrupts = mmio::gen12_interrupts,
                .submission = cs::elsq_gen12,
                .display = display::tgl,
                .engines = gen8_engines,
                .power_control = true,
                .observation = &oa::oag,
                .guc = &guc::gen12_layout,
                .metric_sets = defs::gen12::tgl_metric_sets,
                .surface_state = surface::decode_surface<defs::Gen12>,
                .sampler_state = sampler::decode_state<defs::Gen12>,
                .state_decoder = render::make_state_decoder<defs::Gen12>,
                .media_decoder = gpgpu::make_decoder<defs::Gen12>,
                .huc_decoder = media::make_huc_decoder<defs::Gen12>,
                .video_packets = media::make_video_packets<defs::Gen12>,
                .vebox_decoder = media::make_vebox_decoder<defs::Gen12>};

}  // namespace softgen::gt::platforms
