#version 450
// SPDX-License-Identifier: GPL-2.0-or-later
// A triangle over the whole target.
layout(push_constant) uniform Constants { float depth; };
void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, depth, 1);
}
