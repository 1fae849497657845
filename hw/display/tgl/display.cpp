// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/tgl/display.h"

#include "hw/display/engine.h"
#include "hw/display/icp.h"
#include "hw/display/tgl/pipes.h"
#include "hw/display/tgl/power.h"

namespace softgen::display {

namespace {

const ChipModel model{.pipes = tgl_pipes,
                      .ports = icp_ports(reg::gen12::field::GMBUS0_PIN_PAIR_SELECT, 9),
                      .compressor = fbc,
                      .clock_counter = reg::TIMESTAMP_CTR,
                      .sleep_counts = SleepCounts{.dc5 = reg::DMC_DEBUG_DC5_COUNT, .dc6 = reg::DMC_DEBUG_DC6_COUNT},
                      .state_buffers = true,
                      .clocks = tgl_power};

}  // namespace

std::unique_ptr<Display> tgl(const DisplayLinks& links, const DisplayConfig& config) {
  return std::make_unique<DisplayEngine>(links, config, model);
}

}  // namespace softgen::display
