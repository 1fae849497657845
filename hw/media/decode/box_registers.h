// SPDX-License-Identifier: GPL-2.0-or-later
// Where an engine's box reports what a picture has come to: iHD media driver, mhw_mmio_g9.h, _g11.h, _g12.h.
#pragma once

#include <cstdint>

#include "hw/defs/engine.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/registers/registers.h"

namespace softgen::media {

struct BoxRegisters {
  uint32_t mfd_error, mfx_mb_count, hcp_status, hcp_cabac_status;
  uint32_t mfc_bytes, mfc_element_bits, mfc_image_status, mfc_qp_count, mfc_slice_bytes, mfc_slices, vp8_bytes, vp8_image_status;
  uint32_t hcp_bytes, hcp_plain_bytes, hcp_element_bits, hcp_image_status, hcp_qp_count;
  reg::Bits concealed, missing_code, bits_violated;
};

/// Those of `engine`. By a generation's traits.
template <class G>
BoxRegisters box_registers(EngineId engine);

/// Kaby Lake GT2 has one box.
template <>
inline BoxRegisters box_registers<defs::Gen9>(EngineId) {
  namespace r = reg::gen9;
  return {r::MFD_ERROR_STATUS,
          r::MFX_MB_COUNT,
          r::HCP_DEC_STATUS,
          r::HCP_CABAC_STATUS,
          r::MFC_BITSTREAM_BYTECOUNT_FRAME,
          r::MFC_BITSTREAM_SE_BITCOUNT_FRAME,
          r::MFC_IMAGE_STATUS_CONTROL,
          r::MFC_QP_STATUS_COUNT,
          r::MFC_BITSTREAM_BYTECOUNT_SLICE,
          r::MFC_AVC_NUM_SLICES,
          r::MFC_VP8_BITSTREAM_BYTECOUNT_FRAME,
          r::MFC_VP8_IMAGE_STATUS_CONTROL,
          r::HCP_BITSTREAM_BYTECOUNT_FRAME,
          r::HCP_BITSTREAM_BYTECOUNT_FRAME_NO_HEADER,
          r::HCP_BITSTREAM_SE_BITCOUNT_FRAME,
          r::HCP_IMAGE_STATUS_CONTROL,
          r::HCP_QP_STATUS_COUNT,
          r::field::MFX_MB_COUNT_CONCEALED_MB_COUNT,
          r::field::MFC_IMAGE_STATUS_CONTROL_MISSING_HUFFMAN_CODE,
          r::field::MFC_IMAGE_STATUS_CONTROL_FRAME_BIT_COUNT_VIOLATED};
}

template <>
inline BoxRegisters box_registers<defs::Gen11>(EngineId engine) {
  namespace r = reg::gen11;
  const uint32_t box = engine == EngineId::vcs1;
  return {r::MFD_ERROR_STATUS(box),
          r::MFX_MB_COUNT(box),
          r::HCP_DEC_STATUS(box),
          r::HCP_CABAC_STATUS(box),
          r::MFC_BITSTREAM_BYTECOUNT_FRAME(box),
          r::MFC_BITSTREAM_SE_BITCOUNT_FRAME(box),
          r::MFC_IMAGE_STATUS_CONTROL(box),
          r::MFC_QP_STATUS_COUNT(box),
          r::MFC_BITSTREAM_BYTECOUNT_SLICE(box),
          r::MFC_AVC_NUM_SLICES(box),
          r::MFC_VP8_BITSTREAM_BYTECOUNT_FRAME(box),
          r::MFC_VP8_IMAGE_STATUS_CONTROL(box),
          r::HCP_BITSTREAM_BYTECOUNT_FRAME(box),
          r::HCP_BITSTREAM_BYTECOUNT_FRAME_NO_HEADER(box),
          r::HCP_BITSTREAM_SE_BITCOUNT_FRAME(box),
          r::HCP_IMAGE_STATUS_CONTROL(box),
          r::HCP_QP_STATUS_COUNT(box),
          r::field::MFX_MB_COUNT_CONCEALED_MB_COUNT,
          r::field::MFC_IMAGE_STATUS_CONTROL_MISSING_HUFFMAN_CODE,
          r::field::MFC_IMAGE_STATUS_CONTROL_FRAME_BIT_COUNT_VIOLATED};
}

/// The set's rows are Gen11's.
template <>
inline BoxRegisters box_registers<defs::Gen12>(EngineId engine) {
  return box_registers<defs::Gen11>(engine);
}

}  // namespace softgen::media
