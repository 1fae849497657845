// SPDX-License-Identifier: GPL-2.0-or-later
// HuC's packets: SKL PRM vol 2a; iHD media driver, mhw_vdbox_huc_hwcmd_g9_kbl.h, _g11_X.h, _g12_X.h. Registers: mhw_mmio_g9.h, _g11.h, _g12.h.
#include "hw/base/bits.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/huc_decoder.h"

namespace softgen::media {
namespace {

namespace field = reg::field;

constexpr HucRegisters gen9_registers{
    reg::HUC_STATUS2, field::HUC_STATUS2_VERIFIED, {reg::HUC_STATUS2, 0}, field::HUC_STATUS2_VALID_INSTRUCTION_MEMORY};
constexpr HucRegisters gen11_registers{reg::HUC_KERNEL_LOAD_INFO,
                                       field::HUC_KERNEL_LOAD_INFO_SUCCESSFUL,
                                       {reg::HUC_STATUS2_BOX(0), reg::HUC_STATUS2_BOX(1)},
                                       field::HUC_STATUS2_BOX_VALID_INSTRUCTION_MEMORY};

template <class G>
class PacketDecoder final : public HucDecoder {
 public:
  explicit PacketDecoder(const HucRegisters& registers) : registers_(registers) {}

  const HucRegisters& registers() const override { return registers_; }

  bool stream_out_enabled(std::span<const uint32_t> packet) const override {
    return typename G::HUC_PIPE_MODE_SELECT::View(packet).indirect_stream_out_enable();
  }

  uint32_t kernel(std::span<const uint32_t> packet) const override {
    return typename G::HUC_IMEM_STATE::View(packet).huc_firmware_descriptor();
  }

  std::array<uint64_t, regions> addresses(std::span<const uint32_t> packet) const override {
    const auto state = G::HUC_VIRTUAL_ADDR_STATE::unpack(packet);
    std::array<uint64_t, regions> all;
    for (size_t i = 0; i < regions; ++i) all[i] = strip_canonical(state.huc_virtual_address_region[i].address);
    return all;
  }

  HucStreams streams(std::span<const uint32_t> packet) const override {
    const typename G::HUC_IND_OBJ_BASE_ADDR_STATE::View state(packet);
    return {.in = strip_canonical(state.huc_indirect_stream_in_object_address()),
            .in_bound = strip_canonical(state.huc_indirect_stream_in_object_access_upper_bound()),
            .out = strip_canonical(state.huc_indirect_stream_out_object_address()),
            .out_bound = strip_canonical(state.huc_indirect_stream_out_object_access_upper_bound())};
  }

  HucStreamObject object(std::span<const uint32_t> packet) const override {
    const typename G::HUC_STREAM_OBJECT::View object(packet);
    return {.bytes = object.indirect_stream_in_data_length(),
            .in = object.indirect_stream_in_address(),
            .out = object.indirect_stream_out_address(),
            .stream_out = object.stream_out(),
            .for_kernel = object.huc_processing(),
            .is_copy = !object.emulation_prevention_byte_removal() && !object.start_code_search_engine()};
  }

  bool is_last(std::span<const uint32_t> packet) const override { return typename G::HUC_START::View(packet).last_stream_object(); }

 private:
  const HucRegisters& registers_;
};

}  // namespace

template <>
std::unique_ptr<const HucDecoder> make_huc_decoder<defs::Gen9>() {
  return std::make_unique<PacketDecoder<defs::Gen9>>(gen9_registers);
}
template <>
std::unique_ptr<const HucDecoder> make_huc_decoder<defs::Gen11>() {
  return std::make_unique<PacketDecoder<defs::Gen11>>(gen11_registers);
}
template <>
std::unique_ptr<const HucDecoder> make_huc_decoder<defs::Gen12>() {
  return std::make_unique<PacketDecoder<defs::Gen12>>(gen11_registers);
}

}  // namespace softgen::media
