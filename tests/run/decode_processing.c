// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes one H.264 picture with a processing buffer: the driver scales and converts it in the same batch. The picture has I_PCM
// macroblocks alone, so it decodes to the samples of INPUT, in NV12, whose values are 16 to 235.
//
//   decode_processing INPUT WIDTHxHEIGHT DECODED OUTPUT NV12|YUY2|BGRA WIDTHxHEIGHT
//
// Writes the picture that was decoded, and the one of the processing buffer. 0: both are written; 1: an error, with one line that says which.
#define PROGRAM "decode_processing"
#include "decode_processing.h"

enum { MACROBLOCK = 16, PCM_BYTES = 384 };

// A slice of an IDR picture without its start code (H.264 7.3.3, 7.3.5). *header: bits before slice_data().
static struct bits write_slice(const uint8_t* nv12, unsigned width, unsigned height, unsigned* header) {
  const unsigned columns = width / MACROBLOCK, rows = height / MACROBLOCK;
  struct bits slice = make_bits(64 + (size_t)columns * rows * (PCM_BYTES + 4));
  put(&slice, 0x65, 8);
  put(&slice, 1, 1);  // first_mb_in_slice 0
  put(&slice, 8, 7);  // slice_type 7: all slices are I
  put(&slice, 1, 1);  // pic_parameter_set_id 0
  put(&slice, 0, 4);  // frame_num
  put(&slice, 1, 1);  // idr_pic_id 0
  put(&slice, 0, 2);  // no_output_of_prior_pics_flag, long_term_reference_flag
  put(&slice, 1, 1);  // slice_qp_delta 0
  put(&slice, 2, 3);  // disable_deblocking_filter_idc 1
  *header = (unsigned)slice.count;
  for (unsigned y = 0; y < rows; y++)
    for (unsigned x = 0; x < columns; x++) {
      put(&slice, 26, 9);  // mb_type 25: I_PCM
      align(&slice);
      uint8_t* to = slice.bytes + slice.count / 8;
      for (unsigned row = 0; row < 16; row++, to += 16) memcpy(to, nv12 + (y * 16 + row) * width + x * 16, 16);
      const uint8_t* chroma = nv12 + (size_t)width * height + (size_t)y * 8 * width + x * 16;
      for (unsigned c = 0; c < 2; c++)
        for (unsigned row = 0; row < 8; row++)
          for (unsigned i = 0; i < 8; i++) *to++ = chroma[row * width + i * 2 + c];
      slice.count += PCM_BYTES * 8;
    }
  put(&slice, 1, 1);
  align(&slice);
  return slice;
}

static VAPictureParameterBufferH264 picture_of(VASurfaceID surface, unsigned width, unsigned height) {
  VAPictureParameterBufferH264 picture = {.CurrPic = {.picture_id = surface},
                                          .picture_width_in_mbs_minus1 = (uint16_t)(width / MACROBLOCK - 1),
                                          .picture_height_in_mbs_minus1 = (uint16_t)(height / MACROBLOCK - 1),
                                          .num_ref_frames = 1};
  for (unsigned i = 0; i < 16; i++)
    picture.ReferenceFrames[i] = (VAPictureH264){.picture_id = VA_INVALID_SURFACE, .flags = VA_PICTURE_H264_INVALID};
  picture.seq_fields.bits.chroma_format_idc = 1;
  picture.seq_fields.bits.frame_mbs_only_flag = 1;
  picture.seq_fields.bits.direct_8x8_inference_flag = 1;
  picture.seq_fields.bits.pic_order_cnt_type = 2;
  picture.pic_fields.bits.deblocking_filter_control_present_flag = 1;
  picture.pic_fields.bits.reference_pic_flag = 1;
  return picture;
}

int main(int argc, char** argv) {
  if (argc != 7) fail("INPUT WIDTHxHEIGHT DECODED OUTPUT NV12|YUY2|BGRA WIDTHxHEIGHT");
  const struct request r = request_of(argv + 1, MACROBLOCK);
  uint8_t* const input = read_all(r.input, (size_t)r.width * r.height * 3 / 2);
  const struct session s = open_session(&r, VAProfileH264Main, VA_FOURCC_NV12);
  unsigned header;
  const struct bits slice = write_slice(input, r.width, r.height, &header);
  VAPictureParameterBufferH264 picture = picture_of(s.decoded, r.width, r.height);
  VAIQMatrixBufferH264 matrices;
  memset(&matrices, 16, sizeof matrices);
  VASliceParameterBufferH264 parameters = {.slice_data_size = (uint32_t)(slice.count / 8),
                                           .slice_data_flag = VA_SLICE_DATA_FLAG_ALL,
                                           .slice_data_bit_offset = (uint16_t)header,
                                           .slice_type = 2,
                                           .disable_deblocking_filter_idc = 1};
  for (unsigned i = 0; i < 32; i++)
    parameters.RefPicList0[i] = parameters.RefPicList1[i] =
        (VAPictureH264){.picture_id = VA_INVALID_SURFACE, .flags = VA_PICTURE_H264_INVALID};
  VABufferID buffers[5] = {buffer(s.display, s.context, VAPictureParameterBufferType, sizeof picture, &picture),
                           buffer(s.display, s.context, VAIQMatrixBufferType, sizeof matrices, &matrices),
                           buffer(s.display, s.context, VASliceParameterBufferType, sizeof parameters, &parameters),
                           buffer(s.display, s.context, VASliceDataBufferType, slice.count / 8, slice.bytes)};
  process(&s, &r, buffers, 4);
  return 0;
}
