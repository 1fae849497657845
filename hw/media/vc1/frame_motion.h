// SPDX-License-Identifier: GPL-2.0-or-later
// Motion vectors of interlaced frame pictures (SMPTE 421M 10.7.3.5): prediction from macroblocks whose vectors are of the frame, or of each field.
#pragma once

#include "hw/media/vc1/field_motion.h"
#include "hw/media/vc1/motion.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// The vector of luma block `block` in `direction`, with the differential. The macroblock's `field_vectors` is set. Of field vectors the bit of value 4 of y
/// chooses the field.
Vector predict_frame_vector(const Picture& picture, Position at, unsigned block, unsigned direction, const FieldVectorData& data);

/// Chroma's vertical component of luma's in a field (10.7.3.5.5), in quarter samples; the bit of value 4 chooses the field.
int field_chroma_component(int y);

}  // namespace softgen::media::vc1
