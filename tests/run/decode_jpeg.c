// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes a baseline JPEG picture of one scan into a surface of 32 bits a pixel, for which the driver puts SFC behind the decoder.
//
//   decode_jpeg INPUT OUTPUT       0: the surface's pixels are written; 1: an error, with one line that says which
#define PROGRAM "decode_jpeg"
#include "va_client.h"

enum { DQT = 0xdb, DHT = 0xc4, SOF0 = 0xc0, SOS = 0xda, LARGEST = 1 << 22 };

struct picture {
  VAPictureParameterBufferJPEGBaseline frame;
  VAIQMatrixBufferJPEGBaseline matrices;
  VAHuffmanTableBufferJPEGBaseline tables;
  VASliceParameterBufferJPEGBaseline scan;
  const uint8_t* data;
};

static void take_tables(struct picture* to, const uint8_t* at, const uint8_t* end) {
  while (at < end) {
    const unsigned ac = *at >> 4, id = *at & 1;
    uint8_t* const counts = ac ? to->tables.huffman_table[id].num_ac_codes : to->tables.huffman_table[id].num_dc_codes;
    uint8_t* const values = ac ? to->tables.huffman_table[id].ac_values : to->tables.huffman_table[id].dc_values;
    unsigned codes = 0;
    for (unsigned i = 0; i < 16; i++) codes += counts[i] = at[1 + i];
    if (codes > (ac ? 162u : 12u)) fail("a table is too large");
    memcpy(values, at + 17, codes);
    to->tables.load_huffman_table[id] = 1;
    at += 17 + codes;
  }
}

static void take_frame(struct picture* to, const uint8_t* at) {
  to->frame.picture_height = (uint16_t)(at[1] << 8 | at[2]), to->frame.picture_width = (uint16_t)(at[3] << 8 | at[4]);
  to->frame.num_components = at[5];
  if (at[5] > 3) fail("too many components");
  for (unsigned i = 0; i < at[5]; i++) {
    const uint8_t* const one = at + 6 + 3 * i;
    to->frame.components[i].component_id = one[0], to->frame.components[i].quantiser_table_selector = one[2];
    to->frame.components[i].h_sampling_factor = one[1] >> 4, to->frame.components[i].v_sampling_factor = one[1] & 15;
  }
}

static void take_scan(struct picture* to, const uint8_t* at, unsigned bytes) {
  to->scan.num_components = at[0];
  if (at[0] > 3) fail("too many components");
  for (unsigned i = 0; i < at[0]; i++) {
    to->scan.components[i].component_selector = at[1 + 2 * i];
    to->scan.components[i].dc_table_selector = at[2 + 2 * i] >> 4, to->scan.components[i].ac_table_selector = at[2 + 2 * i] & 15;
  }
  const unsigned across = at[0] > 1 ? to->frame.components[0].h_sampling_factor * 8u : 8,
                 down = at[0] > 1 ? to->frame.components[0].v_sampling_factor * 8u : 8;
  to->scan.num_mcus = (to->frame.picture_width + across - 1) / across * ((to->frame.picture_height + down - 1) / down);
  to->scan.slice_data_size = bytes;
  to->scan.slice_data_flag = VA_SLICE_DATA_FLAG_ALL;
}

// T.81 B.1.1.4: segments up to the scan's data.
static void parse(struct picture* to, const uint8_t* at, const uint8_t* end) {
  for (at += 2; end - at > 4;) {
    const unsigned marker = at[1], length = (unsigned)(at[2] << 8 | at[3]);
    const uint8_t *const body = at + 4, *const next = at + 2 + length;
    if (at[0] != 0xff || next > end) fail("the input is no JPEG file");
    for (const uint8_t* table = body; marker == DQT && table < next; table += 65) {
      memcpy(to->matrices.quantiser_table[*table & 3], table + 1, 64);
      to->matrices.load_quantiser_table[*table & 3] = 1;
    }
    if (marker == DHT) take_tables(to, body, next);
    if (marker == SOF0) take_frame(to, body);
    if (marker == SOS) {
      take_scan(to, body, (unsigned)(end - next));
      to->data = next;
      return;
    }
    at = next;
  }
  fail("the input has no scan");
}

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: decode_jpeg INPUT OUTPUT");
  FILE* in = fopen(argv[1], "rb");
  uint8_t* const file = malloc(LARGEST);
  if (!in || !file) fail("the input cannot be read");
  const size_t bytes = fread(file, 1, LARGEST, in);
  fclose(in);
  struct picture picture = {0};
  parse(&picture, file, file + bytes);
  const unsigned width = picture.frame.picture_width, height = picture.frame.picture_height;

  const VADisplay display = open_display();
  VAConfigAttrib format = {VAConfigAttribRTFormat, VA_RT_FORMAT_RGB32};
  VAConfigID config;
  VAContextID context;
  check(vaCreateConfig(display, VAProfileJPEGBaseline, VAEntrypointVLD, &format, 1, &config), "vaCreateConfig");
  VASurfaceID surface = make_surface(display, VA_FOURCC_BGRA, width, height);
  check(vaCreateContext(display, config, (int)width, (int)height, VA_PROGRESSIVE, &surface, 1, &context), "vaCreateContext");
  VABufferID buffers[] = {buffer(display, context, VAPictureParameterBufferType, sizeof picture.frame, &picture.frame),
                          buffer(display, context, VAIQMatrixBufferType, sizeof picture.matrices, &picture.matrices),
                          buffer(display, context, VAHuffmanTableBufferType, sizeof picture.tables, &picture.tables),
                          buffer(display, context, VASliceParameterBufferType, sizeof picture.scan, &picture.scan),
                          buffer(display, context, VASliceDataBufferType, picture.scan.slice_data_size, (void*)picture.data)};
  check(vaBeginPicture(display, context, surface), "vaBeginPicture");
  check(vaRenderPicture(display, context, buffers, sizeof buffers / sizeof buffers[0]), "vaRenderPicture");
  check(vaEndPicture(display, context), "vaEndPicture");
  write_surface(display, surface, width, height, argv[2]);
  return 0;
}
