#version 450
// SPDX-License-Identifier: GPL-2.0-or-later
layout(binding = 1) uniform sampler2D image;
layout(location = 0) in vec2 place;
layout(location = 1) in vec3 where;
layout(location = 0) out vec4 color;
void main() {
  vec3 normal = normalize(cross(dFdx(where), dFdy(where)));
  color = max(0.0, dot(vec3(0.424, 0.566, 0.707), normal)) * texture(image, place);
}
