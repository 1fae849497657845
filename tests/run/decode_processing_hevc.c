// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes one HEVC picture with a processing buffer. Each of its coding tree blocks is a slice of one PCM coding unit, so it decodes to the samples of INPUT,
// whose values are 16 to 235, or four times that in the upper bits of 16.
//
//   decode_processing_hevc 8|10 INPUT WIDTHxHEIGHT DECODED OUTPUT NV12|YUY2|BGRA WIDTHxHEIGHT
//
// Writes the picture that was decoded, and the one of the processing buffer. 0: both are written; 1: an error, with one line that says which.
#define PROGRAM "decode_processing_hevc"
#include "decode_processing.h"

enum { LOG2_CTB = 5, CTB = 1 << LOG2_CTB, SLICE_BYTES = 64 + CTB * CTB * 3 / 2 * 10 / 8, QP = 26 };

struct source {
  const uint8_t* planes;
  unsigned width, height, depth;
};

static unsigned sample(const struct source* from, unsigned x, unsigned row) {
  const size_t at = (size_t)row * from->width + x;
  return from->depth == 8 ? from->planes[at] : (from->planes[2 * at] | from->planes[2 * at + 1] << 8) >> 6;
}

static unsigned bits_of(unsigned value) {
  unsigned bits = 0;
  while (value >> bits) bits++;
  return bits;
}

// A slice of an IDR picture without its start code (H.265 7.3.6, 7.3.8). *header: bytes before slice_segment_data().
static struct bits write_slice(const struct source* from, unsigned ctb, unsigned count, unsigned* header) {
  struct bits slice = make_bits(SLICE_BYTES);
  put(&slice, 19 << 9 | 1, 16);  // IDR_W_RADL
  put(&slice, !ctb, 1);          // first_slice_segment_in_pic_flag
  put(&slice, 1, 2);             // no_output_of_prior_pics_flag 0, slice_pic_parameter_set_id 0
  if (ctb) put(&slice, ctb, bits_of(count - 1));
  put(&slice, 3, 3);  // slice_type 2: I
  put(&slice, 1, 1);  // slice_qp_delta 0
  put(&slice, 1, 1);  // byte_alignment()
  align(&slice);
  *header = (unsigned)(slice.count / 8);
  // In CABAC: split_cu_flag 0, whose range is 510 - 240 in its first state at this QP, pcm_flag 1 at 268, and its end.
  put(&slice, 268 | 1, 9);
  align(&slice);
  const unsigned columns = from->width / CTB, left = ctb % columns * CTB, top = ctb / columns * CTB;
  for (unsigned i = 0; i < CTB * CTB; i++) put(&slice, sample(from, left + i % CTB, top + i / CTB), from->depth);
  for (unsigned c = 0; c < 2; c++)
    for (unsigned i = 0; i < CTB * CTB / 4; i++)
      put(&slice, sample(from, left + i % (CTB / 2) * 2 + c, from->height + top / 2 + i / (CTB / 2)), from->depth);
  put(&slice, 508 | 1, 9);  // end_of_slice_segment_flag 1, anew
  align(&slice);
  return slice;
}

static VAPictureParameterBufferHEVC picture_of(VASurfaceID surface, const struct source* from) {
  const uint8_t depth = (uint8_t)from->depth;
  VAPictureParameterBufferHEVC picture = {.CurrPic = {.picture_id = surface},
                                          .pic_width_in_luma_samples = (uint16_t)from->width,
                                          .pic_height_in_luma_samples = (uint16_t)from->height,
                                          .bit_depth_luma_minus8 = depth - 8,
                                          .bit_depth_chroma_minus8 = depth - 8,
                                          .pcm_sample_bit_depth_luma_minus1 = depth - 1,
                                          .pcm_sample_bit_depth_chroma_minus1 = depth - 1,
                                          .log2_diff_max_min_luma_coding_block_size = LOG2_CTB - 3,
                                          .log2_diff_max_min_transform_block_size = LOG2_CTB - 2,
                                          .log2_diff_max_min_pcm_luma_coding_block_size = LOG2_CTB - 3,
                                          .init_qp_minus26 = QP - 26,
                                          .log2_max_pic_order_cnt_lsb_minus4 = 4};
  for (unsigned i = 0; i < 15; i++)
    picture.ReferenceFrames[i] = (VAPictureHEVC){.picture_id = VA_INVALID_SURFACE, .flags = VA_PICTURE_HEVC_INVALID};
  picture.pic_fields.bits.chroma_format_idc = 1;
  picture.pic_fields.bits.pcm_enabled_flag = 1;
  picture.pic_fields.bits.pcm_loop_filter_disabled_flag = 1;
  picture.slice_parsing_fields.bits.pps_disable_deblocking_filter_flag = 1;
  picture.slice_parsing_fields.bits.RapPicFlag = 1;
  picture.slice_parsing_fields.bits.IdrPicFlag = 1;
  picture.slice_parsing_fields.bits.IntraPicFlag = 1;
  return picture;
}

int main(int argc, char** argv) {
  if (argc != 8) fail("8|10 INPUT WIDTHxHEIGHT DECODED OUTPUT NV12|YUY2|BGRA WIDTHxHEIGHT");
  const struct request r = request_of(argv + 2, CTB);
  const unsigned depth = strcmp(argv[1], "10") ? 8 : 10;
  const struct source from = {read_all(r.input, (size_t)r.width * r.height * 3 / 2 * (depth == 8 ? 1 : 2)), r.width, r.height, depth};
  const struct session s =
      open_session(&r, depth == 8 ? VAProfileHEVCMain : VAProfileHEVCMain10, depth == 8 ? VA_FOURCC_NV12 : VA_FOURCC_P010);
  const unsigned count = r.width / CTB * (r.height / CTB);
  VASliceParameterBufferHEVC* const slices = calloc(count, sizeof *slices);
  uint8_t* const data = malloc((size_t)count * SLICE_BYTES);
  if (!slices || !data) fail("no memory");
  size_t bytes = 0;
  for (unsigned ctb = 0; ctb < count; ctb++) {
    unsigned header;
    const struct bits slice = write_slice(&from, ctb, count, &header);
    slices[ctb] = (VASliceParameterBufferHEVC){.slice_data_size = (uint32_t)(slice.count / 8),
                                               .slice_data_offset = (uint32_t)bytes,
                                               .slice_data_flag = VA_SLICE_DATA_FLAG_ALL,
                                               .slice_data_byte_offset = header,
                                               .slice_segment_address = ctb,
                                               .collocated_ref_idx = 0xff,
                                               .five_minus_max_num_merge_cand = 5};
    memset(slices[ctb].RefPicList, 0xff, sizeof slices[ctb].RefPicList);
    slices[ctb].LongSliceFlags.fields.LastSliceOfPic = ctb + 1 == count;
    slices[ctb].LongSliceFlags.fields.slice_type = 2;
    slices[ctb].LongSliceFlags.fields.slice_deblocking_filter_disabled_flag = 1;
    memcpy(data + bytes, slice.bytes, slice.count / 8);
    bytes += slice.count / 8;
    free(slice.bytes);
  }
  VAPictureParameterBufferHEVC picture = picture_of(s.decoded, &from);
  VABufferID all_slices;
  check(vaCreateBuffer(s.display, s.context, VASliceParameterBufferType, sizeof *slices, count, slices, &all_slices), "vaCreateBuffer");
  VABufferID buffers[4] = {buffer(s.display, s.context, VAPictureParameterBufferType, sizeof picture, &picture), all_slices,
                           buffer(s.display, s.context, VASliceDataBufferType, bytes, data)};
  process(&s, &r, buffers, 3);
  return 0;
}
