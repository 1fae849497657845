// SPDX-License-Identifier: GPL-2.0-or-later
// What clients that decode one picture with a processing buffer (VAConfigAttribDecProcessing) share: the driver scales and converts it.
#pragma once

#include "va_client.h"

struct bits {
  uint8_t* bytes;
  size_t count;  // bits so far
};

static void put(struct bits* to, unsigned value, unsigned width) {
  while (width--) {
    if (value >> width & 1) to->bytes[to->count / 8] |= (uint8_t)(0x80 >> to->count % 8);
    to->count++;
  }
}

static void align(struct bits* to) { to->count = (to->count + 7) / 8 * 8; }

static struct bits make_bits(size_t bytes) {
  const struct bits made = {calloc(1, bytes), 0};
  if (!made.bytes) fail("no memory");
  return made;
}

static uint8_t* read_all(const char* path, size_t bytes) {
  uint8_t* data = malloc(bytes);
  FILE* in = fopen(path, "rb");
  if (!data || !in || fread(data, 1, bytes, in) != bytes) fail("the input cannot be read");
  fclose(in);
  return data;
}

// INPUT WIDTHxHEIGHT DECODED OUTPUT NV12|YUY2|BGRA WIDTHxHEIGHT. The input has planes as NV12 or P010, of whole blocks.
struct request {
  const char *input, *decoded, *output;
  unsigned width, height, fourcc, out_width, out_height;
};

static struct request request_of(char** words, unsigned block) {
  struct request r = {.input = words[0], .decoded = words[2], .output = words[3]};
  r.fourcc = !strcmp(words[4], "NV12") ? VA_FOURCC_NV12 : !strcmp(words[4], "YUY2") ? VA_FOURCC_YUY2 : VA_FOURCC_BGRA;
  if (sscanf(words[1], "%ux%u", &r.width, &r.height) != 2 || sscanf(words[5], "%ux%u", &r.out_width, &r.out_height) != 2 ||
      r.width % block || r.height % block || !r.width || !r.height || r.width > 4096 || r.height > 4096)
    fail("INPUT WIDTHxHEIGHT DECODED OUTPUT NV12|YUY2|BGRA WIDTHxHEIGHT: a wrong size");
  return r;
}

struct session {
  VADisplay display;
  VAContextID context;
  VASurfaceID decoded, output;
};

static struct session open_session(const struct request* r, VAProfile profile, unsigned fourcc) {
  struct session s = {.display = open_display()};
  const unsigned kind = fourcc == VA_FOURCC_P010 ? VA_RT_FORMAT_YUV420_10 : VA_RT_FORMAT_YUV420;
  VAConfigAttrib attributes[] = {{VAConfigAttribRTFormat, kind}, {VAConfigAttribDecProcessing, VA_DEC_PROCESSING}};
  VAConfigID config;
  check(vaCreateConfig(s.display, profile, VAEntrypointVLD, attributes, 2, &config), "vaCreateConfig");
  s.decoded = make_surface(s.display, fourcc, r->width, r->height);
  s.output = make_surface(s.display, r->fourcc, r->out_width, r->out_height);
  check(vaCreateContext(s.display, config, (int)r->width, (int)r->height, VA_PROGRESSIVE, &s.decoded, 1, &s.context), "vaCreateContext");
  return s;
}

// Decodes the picture of `count` buffers, of which there is room for one more, and writes both pictures.
static void process(const struct session* s, const struct request* r, VABufferID* buffers, int count) {
  VARectangle from = {0, 0, (uint16_t)r->width, (uint16_t)r->height}, to = {0, 0, (uint16_t)r->out_width, (uint16_t)r->out_height};
  VASurfaceID output = s->output;
  VAProcPipelineParameterBuffer processing = {
      .surface = s->decoded, .surface_region = &from, .output_region = &to, .additional_outputs = &output, .num_additional_outputs = 1};
  // Behind the picture's parameters.
  memmove(buffers + 2, buffers + 1, (size_t)(count - 1) * sizeof *buffers);
  buffers[1] = buffer(s->display, s->context, VAProcPipelineParameterBufferType, sizeof processing, &processing);
  check(vaBeginPicture(s->display, s->context, s->decoded), "vaBeginPicture");
  check(vaRenderPicture(s->display, s->context, buffers, count + 1), "vaRenderPicture");
  check(vaEndPicture(s->display, s->context), "vaEndPicture");
  write_surface(s->display, s->decoded, r->width, r->height, r->decoded);
  write_surface(s->display, s->output, r->out_width, r->out_height, r->output);
}
