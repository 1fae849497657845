// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile pictures for Ironlake's bit stream decoder: parameters, buffers, streams, context images.
#include <string_view>
#include <vector>

#include "hw/defs/gen5/all.h"
#include "hw/media/bsd/bsd.h"
#include "hw/mmio/register_file.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/state_source.h"

namespace softgen::fuzz {
namespace {

class BsdTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    LimitedRun limit(stop_);
    if (in.one_in(8)) restore(in);
    for (unsigned pictures = 1 + in.below(3); pictures; --pictures) {
      for (const char* name : {"AVC_BSD_IMG_STATE", "AVC_BSD_QM_STATE"}) send(in, name);
      for (unsigned objects = 1 + in.below(5); objects; --objects) {
        for (const char* name : {"BSD_IND_OBJ_BASE_ADDR", "AVC_BSD_SLICE_STATE", "AVC_BSD_BUF_BASE_STATE", "AVC_BSD_OBJECT"})
          send(in, name);
        if (in.one_in(8)) flush();
        if (in.one_in(16)) save_and_restore();
      }
      if (!in.one_in(4)) flush();
    }
    engine_->reset_context();
    map_.memory.restore();
  }

 private:
  static constexpr uint32_t stream_bytes = 4096, max_blocks = 6, max_tail = 112;

  EngineEnv env() { return {EngineId::vcs0, map_.view, map_.view, registers_, stop_}; }
  void flush() {
    EngineEnv lent = env();
    engine_->flush({}, lent);
  }
  void restore(StateSource& in) {
    std::vector<std::byte> image(engine_->context_size());
    for (std::byte& byte : image) byte = std::byte{in.one_in(4) ? in.take<uint8_t>() : uint8_t{0}};
    // The version; a picture that is open, of which any macroblock comes next.
    image[0] = image[4] = std::byte{1}, image[1] = image[2] = image[3] = std::byte{0};
    engine_->restore_context(image);
  }
  void save_and_restore() {
    std::vector<std::byte> image(engine_->context_size());
    engine_->save_context(image);
    engine_->restore_context(image);
  }

  void send(StateSource& in, std::string_view name) {
    if (stop_.aborting()) return;
    const defs::Command& command = *defs::gen5::commands.find(name);
    std::vector<uint32_t> packet = in.packet(command, 0);
    if (!in.one_in(16)) make_small(in, command, packet);
    // Else any length, up to 64 MiB: a hundred times the work of all others, so it is rare.
    else if (name == "AVC_BSD_OBJECT" && !in.one_in(256))
      StateSource::put(command, packet, "Indirect Data Length", in.below(4 * stream_bytes));
    // What repeats to the packet's end.
    if (name == "AVC_BSD_QM_STATE" || name == "AVC_BSD_SLICE_STATE")
      for (unsigned more = in.below(max_tail); more; --more) packet.push_back(in.take<uint32_t>());
    if (name == "BSD_IND_OBJ_BASE_ADDR") {
      if (!in.one_in(8)) packet[2] = 0;
      write_stream(in, packet[1]);
    }
    StateSource::finish(command, packet);
    EngineEnv lent = env();
    engine_->execute({0, &command, packet}, lent);
  }
  /// Pictures of few macroblocks, and slices that are in them, reach more.
  static void make_small(StateSource& in, const defs::Structure& structure, std::vector<uint32_t>& packet) {
    for (const defs::Field& field : structure.fields) {
      const std::string_view name = field.name;
      const auto put = [&](uint32_t value) { StateSource::put(packet, field.start, field.width(), value); };
      // Fields, and frames of pairs, have an even height.
      if (name == "Frame Height In Macroblocks" && !in.one_in(8)) put(2 + 2 * in.small_below(max_blocks / 2));
      else if (name.ends_with("In Macroblocks")) put(1 + in.small_below(max_blocks));
      else if (name == "First Macroblock") put(in.one_in(2) ? 0 : in.one_in(3) ? in.below(max_blocks * max_blocks) : in.below(3));
      else if (name == "Indirect Data Length") put(in.one_in(8) ? 0 : in.below(stream_bytes));
      else if (name == "Indirect Data Start Address") put(in.below(64));
      else if (name.starts_with("Number of References")) put(1 + in.below(32));
    }
  }
  void write_stream(StateSource& in, uint64_t at) {
    const auto bytes = in.stream<stream_bytes>();
    map_.view.write(at & ~uint64_t{0xfff}, bytes.data(), bytes.size());
  }

  GuestMap map_{96};
  StopFlag stop_;
  mmio::RegisterFile registers_{defs::gen5::registers};
  std::unique_ptr<Engine> engine_ = media::make_bsd<defs::Gen5>();
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::BsdTarget target;
  target.run({data, size});
  return 0;
}
