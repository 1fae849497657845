#version 450
// SPDX-License-Identifier: GPL-2.0-or-later
// With STORE: writes every dword of the buffer, and every texel unless SAMPLES are more than one. Else reads each texel in four ways: a load from the image, and
// by the sampler a load, a linear filter in the corner of four texels, and their gather; or loads all its samples; with their residency.
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x = 8, local_size_y = 8) in;
#if SAMPLES > 1
layout(binding = 0) uniform sampler2DMS samples;
#else
layout(binding = 0) uniform sampler2D samples;
layout(binding = 1, r32f) uniform image2D texels;
#endif
layout(binding = 2) buffer Pages { uint dwords[]; };
layout(binding = 3) buffer Found { uvec4 found[]; };
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  int index = at.x + 256 * at.y;
#ifdef STORE
  dwords[index] = index + 1;
#if SAMPLES == 1
  imageStore(texels, at, vec4(index + 1));
#endif
#elif SAMPLES > 1
  uint resident = 0, sum = 0;
  for (int i = 0; i < SAMPLES; ++i) {
    vec4 fetched;
    if (sparseTexelsResidentARB(sparseTexelFetchARB(samples, at, i, fetched))) resident |= 1u << i;
    sum += uint(fetched.r) << 3 * i;
  }
  found[index] = uvec4(sum, resident, 0, 0);
#else
  vec4 loaded, fetched, filtered, gathered;
  vec2 corner = vec2(at + 1) / 256;
  bool ours[4] = bool[](sparseTexelsResidentARB(sparseImageLoadARB(texels, at, loaded)),
                        sparseTexelsResidentARB(sparseTexelFetchARB(samples, at, 0, fetched)),
                        sparseTexelsResidentARB(sparseTextureLodARB(samples, corner, 0, filtered)),
                        sparseTexelsResidentARB(sparseTextureGatherARB(samples, corner, gathered)));
  uint resident = 0;
  for (int i = 0; i < 4; ++i) resident |= uint(ours[i]) << i;
  found[index] = uvec4(loaded.r, fetched.r, 4 * filtered.r, resident | uint(dot(gathered, vec4(1))) << 4);
#endif
}
