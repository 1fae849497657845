// SPDX-License-Identifier: GPL-2.0-or-later
// HEVC pictures encoded by PAK objects that the test makes, and decoded by our own decoder from what was written.
#pragma once

#include "tests/unit/media/hevc_encode_pictures.h"
#include "tests/unit/media/video_rig.h"

namespace softgen::media::test {

struct HevcEncodeRig : HevcEncodePictures<VideoRig> {
  HevcEncodeRig() : HevcEncodePictures(source, coded_end) {}
};

}  // namespace softgen::media::test
