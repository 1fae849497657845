// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes a video by VA-API and writes its frames as I420, in the order of display. For i965 on Ironlake: its surfaces are I420, it converts none when they
// are read (ilk_hw_codec_info: no accelerated getimage), and FFmpeg's hwdownload asks for YV12.
//
//   va_frames NODE INPUT OUTPUT       0: all frames are written; 1: an error, with one line that says which
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vaapi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <va/va.h>

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "va_frames: %s\n", what);
  exit(1);
}

// Surfaces with their format named: what i965 allocates later has another pitch than the surface state that it wrote before (i965_media_mpeg2_surface_setup).
static enum AVPixelFormat vaapi_surfaces(AVCodecContext *context, const enum AVPixelFormat *formats) {
  static VASurfaceAttrib format = {
      .type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_SETTABLE, .value = {.type = VAGenericValueTypeInteger, .value.i = VA_FOURCC_I420}};
  AVBufferRef *frames = NULL;
  for (; *formats != AV_PIX_FMT_NONE && *formats != AV_PIX_FMT_VAAPI; formats++) {
  }
  if (*formats == AV_PIX_FMT_NONE || avcodec_get_hw_frames_parameters(context, context->hw_device_ctx, AV_PIX_FMT_VAAPI, &frames))
    fail("the driver does not decode this");
  AVVAAPIFramesContext *surfaces = ((AVHWFramesContext *)frames->data)->hwctx;
  surfaces->attributes = &format, surfaces->nb_attributes = 1;
  if (av_hwframe_ctx_init(frames)) fail("the driver has no surfaces in I420");
  av_buffer_unref(&context->hw_frames_ctx);
  context->hw_frames_ctx = frames;
  return AV_PIX_FMT_VAAPI;
}

static void write_plane(FILE *out, const uint8_t *data, size_t width, size_t height, size_t pitch) {
  for (size_t y = 0; y < height; y++)
    if (fwrite(data + y * pitch, 1, width, out) != width) fail("the output cannot be written");
}

static void write_frame(FILE *out, VADisplay display, const AVFrame *frame) {
  const VASurfaceID surface = (VASurfaceID)(uintptr_t)frame->data[3];
  VAImage image;
  void *mapped;
  if (vaSyncSurface(display, surface) || vaDeriveImage(display, surface, &image)) fail("a surface cannot be read");
  if (vaMapBuffer(display, image.buf, &mapped)) fail("a surface cannot be mapped");
  if (image.format.fourcc != VA_FOURCC_I420) fail("a surface is not I420");
  const uint8_t *bytes = mapped;
  const size_t width = (size_t)frame->width, height = (size_t)frame->height;
  const size_t half = (width + 1) / 2, rows = (height + 1) / 2;
  write_plane(out, bytes + image.offsets[0], width, height, image.pitches[0]);
  for (unsigned plane = 1; plane < 3; plane++) write_plane(out, bytes + image.offsets[plane], half, rows, image.pitches[plane]);
  vaUnmapBuffer(display, image.buf);
  vaDestroyImage(display, image.image_id);
}

static void drain(FILE *out, VADisplay display, AVCodecContext *decoder, const AVPacket *packet, AVFrame *frame) {
  if (avcodec_send_packet(decoder, packet) < 0) fail("the decoder refuses a packet");
  while (!avcodec_receive_frame(decoder, frame)) write_frame(out, display, frame);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage: va_frames NODE INPUT OUTPUT");
  AVBufferRef *device = NULL;
  if (av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, argv[1], NULL, 0)) fail("there is no VA-API driver for the node");
  VADisplay display = ((AVVAAPIDeviceContext *)((AVHWDeviceContext *)device->data)->hwctx)->display;
  AVFormatContext *input = NULL;
  if (avformat_open_input(&input, argv[2], NULL, NULL) || avformat_find_stream_info(input, NULL) < 0) fail("the input cannot be read");
  const AVCodec *codec = NULL;
  const int stream = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (stream < 0) fail("the input has no video");
  AVCodecContext *decoder = avcodec_alloc_context3(codec);
  if (!decoder || avcodec_parameters_to_context(decoder, input->streams[stream]->codecpar) < 0) fail("the decoder cannot be made");
  decoder->hw_device_ctx = device;
  decoder->get_format = vaapi_surfaces;
  if (avcodec_open2(decoder, codec, NULL)) fail("the decoder cannot be opened");
  FILE *out = fopen(argv[3], "wb");
  AVPacket *packet = av_packet_alloc();
  AVFrame *frame = av_frame_alloc();
  if (!out || !packet || !frame) fail("the output cannot be made");
  while (!av_read_frame(input, packet)) {
    if (packet->stream_index == stream) drain(out, display, decoder, packet, frame);
    av_packet_unref(packet);
  }
  drain(out, display, decoder, NULL, frame);
  return fclose(out) ? 1 : 0;
}
