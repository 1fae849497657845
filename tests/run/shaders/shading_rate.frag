#version 450
// SPDX-License-Identifier: GPL-2.0-or-later
// What an invocation knows of its coarse pixel: where it is, the rate, the distances to its neighbours, and the level of detail of a texture with a
// texel per pixel. With DISCARD, two columns of coarse pixels instead, whose neighbours Mesa 22.3 does not run either.
#extension GL_EXT_fragment_shading_rate : require
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out uvec4 color;
void main() {
  uvec2 place = uvec2(gl_FragCoord.xy);
#ifdef DISCARD
  if (place.x >= 40 && place.x < 48) discard;
  color = uvec4(place, gl_ShadingRateEXT, 0);
#else
  vec2 lod = textureQueryLod(image, gl_FragCoord.xy / textureSize(image, 0));
  uvec2 distance = uvec2(dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y));
  color = uvec4(place, gl_ShadingRateEXT | distance.x << 8 | distance.y << 12, uint(lod.y * 256 + 0.5));
#endif
}
