#version 450
// SPDX-License-Identifier: GPL-2.0-or-later
layout(binding = 0) uniform Scene {
  mat4 transform;
  vec4 position[36];
  vec4 place[36];
} scene;
layout(location = 0) out vec2 place;
layout(location = 1) out vec3 where;
void main() {
  place = scene.place[gl_VertexIndex].xy;
  gl_Position = scene.transform * scene.position[gl_VertexIndex];
  where = gl_Position.xyz;
}
