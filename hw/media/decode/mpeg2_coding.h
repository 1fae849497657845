// SPDX-License-Identifier: GPL-2.0-or-later
// The picture coding extension of MPEG-2 (ISO/IEC 13818-2, 6.3.10) in packets and states: the fields' names and values are the same in
// MFX_MPEG2_PIC_STATE and Ironlake's VFE_STATE_VLD, but for the concealment vectors' name.
#pragma once

#include <algorithm>

#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

/// All but size, concealment vectors and matrices. Values that the standard reserves become valid ones.
template <class Fields>
PictureParams picture_coding(const Fields& f) {
  PictureParams picture;
  picture.structure = static_cast<Structure>(f.picture_structure);
  if (picture.structure != Structure::top && picture.structure != Structure::bottom) picture.structure = Structure::frame;
  picture.type = static_cast<CodingType>(std::clamp(static_cast<unsigned>(f.picture_coding_type), 1u, 3u));
  const uint32_t codes[2][2] = {{f.f_code_0_0, f.f_code_0_1}, {f.f_code_1_0, f.f_code_1_1}};
  for (unsigned direction = 0; direction < 2; ++direction)
    for (unsigned axis = 0; axis < 2; ++axis)
      picture.f_code[direction][axis] = static_cast<uint8_t>(std::clamp(codes[direction][axis], 1u, 9u));
  picture.intra_dc_precision = f.intra_dc_precision & 3;
  picture.top_field_first = f.top_field_first;
  picture.frame_pred_frame_dct = f.frame_prediction_frame_dct;
  picture.q_scale_type = static_cast<bool>(f.quantizer_scale_type);
  picture.intra_vlc_format = f.intra_vlc_format;
  picture.alternate_scan = static_cast<bool>(f.scan_order);
  return picture;
}

}  // namespace softgen::media::mpeg2
