// SPDX-License-Identifier: GPL-2.0-or-later
// What a device of a platform is built of, where platforms differ in more than numbers. The numbers are the platform's row
// (hw/defs/platform.cpp), the lists hw/gt/platforms/.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "hw/cs/submission.h"
#include "hw/defs/metric_set.h"
#include "hw/defs/platform.h"
#include "hw/display/display.h"
#include "hw/eu/isa/isa.h"
#include "hw/gpgpu/decoder.h"
#include "hw/gt/engines.h"
#include "hw/guc/layout.h"
#include "hw/iface/host.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/vebox_decoder.h"
#include "hw/media/video_packets.h"
#include "hw/memory/fault.h"
#include "hw/mmio/interrupts.h"
#include "hw/oa/form.h"
#include "hw/render/state_decoder.h"
#include "hw/sampler/state.h"
#include "hw/surface/surface.h"

namespace softgen::gt {

struct Parts {
  const char* name;  ///< of the list: Platform::parts
  const eu::Isa& (*isa)();
  std::unique_ptr<mmio::Interrupts> (*interrupts)(mmio::RegisterFile& registers, Host& host);
  const cs::SubmissionForm& submission;
  display::MakeDisplay display;
  /// Page fault registers of another kind than Gen8's, which `next` are, and which count faults on all platforms; null: there are no others.
  /// `host_error`: the CPU's access has set an error of the render streamer.
  std::unique_ptr<memory::FaultSink> (*page_faults)(mmio::RegisterFile& registers, memory::FaultSink& next,
                                                    std::function<void()> host_error) = nullptr;
  MakeEngines engines;
  bool power_control = false;             ///< the power control unit: its mailbox, RPS, RC6
  const oa::Form* observation = nullptr;  ///< null: there is no observation unit
  const guc::Layout* guc = nullptr;       ///< null: there is no GuC
  std::span<const defs::MetricSet> metric_sets = {};
  surface::DecodeSurface surface_state = nullptr;
  sampler::DecodeState sampler_state = nullptr;
  // What gen8_engines needs; null without them.
  std::unique_ptr<render::StateDecoder> (*state_decoder)() = nullptr;  ///< null: 3D is not there
  std::unique_ptr<const gpgpu::Decoder> (*media_decoder)() = nullptr;  ///< null: GPGPU and media are not there
  std::unique_ptr<const media::HucDecoder> (*huc_decoder)() = nullptr;
  std::unique_ptr<const media::VideoPackets> (*video_packets)() = nullptr;  ///< null: MFX's and HCP's packets are counted
  std::unique_ptr<const media::VeboxDecoder> (*vebox_decoder)() = nullptr;  ///< null: VEBOX's packets are counted
};

/// The list that a platform's row names. Throws std::invalid_argument for one that this build lacks, or whose instruction set needs more than a
/// thread holds (see fits()); no row of platforms() is such a one.
const Parts& parts_of(const defs::Platform& platform);

/// What the platform's EUs run.
inline const eu::Isa& isa_of(const defs::Platform& platform) { return parts_of(platform).isa(); }

/// Whether a thread's registers, lanes and masks, whose sizes are fixed when this is compiled, are large enough.
bool fits(const eu::IsaLimits& limits);

}  // namespace softgen::gt
