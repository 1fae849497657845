// SPDX-License-Identifier: GPL-2.0-or-later
// Rates of a GL driver, for scripts/bench, which runs it on softgen and on llvmpipe: one JSON object on stdout,
// {"renderer": "...", "version": "...", "rates": {NAME: {"value": V, "unit": "U"}}}. Draws off screen (EGL without a surface), each task
// for a fixed time.
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int width = 1920, height = 1080, texture_size = 512;
constexpr int columns = 480, rows = 270;  // of the grid: cells of 4x4 pixels, two triangles each
constexpr int compute_groups = 1024, group_size = 64, fma_rounds = 256;
constexpr size_t copied_bytes = 32 << 20;

struct Task {
  const char* name;
  const char* unit;
  std::function<void()> prepare;
  std::function<double()> work;  // how much was done, in units
};

const char* const quad_vs = R"(#version 430
out vec2 uv;
out vec4 color;
void main() {
  uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  color = vec4(uv, 1.0 - uv.x, 0.25 + 0.5 * uv.y);
  gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
})";

const char* const color_fs = R"(#version 430
in vec4 color;
out vec4 result;
void main() { result = color; })";

const char* const texture_fs = R"(#version 430
in vec2 uv;
out vec4 result;
uniform sampler2D image;
uniform vec2 scale;
void main() { result = texture(image, uv * scale); })";

const char* const arithmetic_fs = R"(#version 430
in vec2 uv;
out vec4 result;
void main() {
  vec4 v = vec4(uv, uv.yx);
  for (int i = 0; i < 32; i++) v = v * v.yzwx + vec4(0.31, 0.17, 0.11, 0.05) * inversesqrt(v.x * v.x + 1.0);
  result = v;
})";

const char* const grid_vs = R"(#version 430
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 transform;
uniform vec3 light;
flat out vec4 color;
void main() {
  color = vec4(vec3(max(dot(normalize(normal), light), 0.0)), 1.0);
  gl_Position = transform * vec4(position, 1.0);
})";

const char* const flat_fs = R"(#version 430
flat in vec4 color;
out vec4 result;
void main() { result = color; })";

const char* const fma_cs = R"(#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { vec4 data[]; };
uniform vec4 factor;
uniform int rounds;
void main() {
  uint at = gl_GlobalInvocationID.x;
  vec4 a = data[at], b = a + 1.0, c = a + 2.0, d = a + 3.0;
  for (int i = 0; i < rounds; i++) {
    a = fma(a, factor, factor);
    b = fma(b, factor, factor);
    c = fma(c, factor, factor);
    d = fma(d, factor, factor);
  }
  data[at] = a + b + c + d;
})";

const char* const copy_cs = R"(#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Source { vec4 source[]; };
layout(std430, binding = 1) buffer Target { vec4 target[]; };
void main() { target[gl_GlobalInvocationID.x] = source[gl_GlobalInvocationID.x]; })";

void require(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

GLuint shader(GLenum kind, const char* text) {
  const GLuint name = glCreateShader(kind);
  glShaderSource(name, 1, &text, nullptr);
  glCompileShader(name);
  GLint good = 0;
  glGetShaderiv(name, GL_COMPILE_STATUS, &good);
  char log[1024] = "";
  if (!good) glGetShaderInfoLog(name, sizeof log, nullptr, log);
  require(good, fmt::format("a shader does not compile: {}", log));
  return name;
}

void use(std::initializer_list<std::pair<GLenum, const char*>> stages) {
  const GLuint program = glCreateProgram();
  for (const auto& stage : stages) glAttachShader(program, shader(stage.first, stage.second));
  glLinkProgram(program);
  GLint good = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  require(good, "a program does not link");
  glUseProgram(program);
}

GLint uniform(const char* name) {
  GLint program = 0;
  glGetIntegerv(GL_CURRENT_PROGRAM, &program);
  return glGetUniformLocation(static_cast<GLuint>(program), name);
}

GLuint buffer(GLenum target, size_t bytes, const void* data) {
  GLuint name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(target, name);
  glBufferData(target, static_cast<GLsizeiptr>(bytes), data, GL_STATIC_DRAW);
  return name;
}

void open_display() {
  EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  require(display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr), "there is no EGL display");
  require(eglBindAPI(EGL_OPENGL_API), "there is no OpenGL");
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
  EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
  require(context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), "there is no OpenGL 4.3 context");
}

void bind_target() {
  GLuint target = 0, images[2];
  glGenFramebuffers(1, &target);
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glGenTextures(2, images);
  const GLenum formats[] = {GL_RGBA8, GL_DEPTH_COMPONENT24}, points[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
  for (int i = 0; i < 2; i++) {
    glBindTexture(GL_TEXTURE_2D, images[i]);
    glTexStorage2D(GL_TEXTURE_2D, 1, formats[i], width, height);
    glFramebufferTexture2D(GL_FRAMEBUFFER, points[i], GL_TEXTURE_2D, images[i], 0);
  }
  require(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "the framebuffer is not complete");
  glViewport(0, 0, width, height);
  GLuint arrays = 0;
  glGenVertexArrays(1, &arrays);
  glBindVertexArray(arrays);
}

double draw_quads(int layers) {
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, layers);
  return 1e-6 * width * height * layers;
}

void prepare_texture(GLenum min_filter, float scale_x, float scale_y, float anisotropy) {
  use({{GL_VERTEX_SHADER, quad_vs}, {GL_FRAGMENT_SHADER, texture_fs}});
  GLuint image = 0;
  glGenTextures(1, &image);
  glBindTexture(GL_TEXTURE_2D, image);
  std::vector<uint32_t> texels(texture_size * texture_size);
  for (size_t i = 0; i < texels.size(); i++) texels[i] = static_cast<uint32_t>(i * 2654435761u);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, texture_size, texture_size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(min_filter));
  glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, anisotropy);
  glUniform2f(uniform("scale"), scale_x, scale_y);
}

void prepare_grid() {
  use({{GL_VERTEX_SHADER, grid_vs}, {GL_FRAGMENT_SHADER, flat_fs}});
  std::vector<float> vertices;
  for (int y = 0; y <= rows; y++)
    for (int x = 0; x <= columns; x++)
      for (float value : {2.0f * static_cast<float>(x) / columns - 1, 2.0f * static_cast<float>(y) / rows - 1,
                          0.001f * static_cast<float>(x ^ y), 0.1f * static_cast<float>(x % 7), 0.1f * static_cast<float>(y % 5), 1.0f})
        vertices.push_back(value);
  std::vector<uint32_t> indices;
  for (uint32_t y = 0; y < rows; y++)
    for (uint32_t x = 0; x < columns; x++) {
      const uint32_t corner = y * (columns + 1) + x;
      for (uint32_t step : {0u, 1u, columns + 1u, columns + 1u, 1u, columns + 2u}) indices.push_back(corner + step);
    }
  buffer(GL_ARRAY_BUFFER, vertices.size() * sizeof(float), vertices.data());
  buffer(GL_ELEMENT_ARRAY_BUFFER, indices.size() * sizeof(uint32_t), indices.data());
  for (GLuint i = 0; i < 2; i++) {
    glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, 6 * sizeof(float), reinterpret_cast<void*>(i * 3 * sizeof(float)));
    glEnableVertexAttribArray(i);
  }
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  glUniformMatrix4fv(uniform("transform"), 1, GL_FALSE, identity);
  glUniform3f(uniform("light"), 0.3f, 0.4f, 0.8f);
}

void draw_grid() { glDrawElements(GL_TRIANGLES, columns * rows * 6, GL_UNSIGNED_INT, nullptr); }

void prepare_fma() {
  use({{GL_COMPUTE_SHADER, fma_cs}});
  const std::vector<float> data(compute_groups * group_size * 4, 0.5f);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer(GL_SHADER_STORAGE_BUFFER, data.size() * sizeof(float), data.data()));
  glUniform4f(uniform("factor"), 0.5f, 0.25f, 0.75f, 0.125f);
  glUniform1i(uniform("rounds"), fma_rounds);
}

void prepare_copy() {
  use({{GL_COMPUTE_SHADER, copy_cs}});
  const std::vector<char> data(copied_bytes, 1);
  for (GLuint i = 0; i < 2; i++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffer(GL_SHADER_STORAGE_BUFFER, data.size(), data.data()));
}

const std::vector<Task> tasks = {
    {"fill", "Mpixel/s", [] { use({{GL_VERTEX_SHADER, quad_vs}, {GL_FRAGMENT_SHADER, color_fs}}); }, [] { return draw_quads(4); }},
    {"fill-blended", "Mpixel/s",
     [] {
       use({{GL_VERTEX_SHADER, quad_vs}, {GL_FRAGMENT_SHADER, color_fs}});
       glEnable(GL_BLEND);
       glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
     },
     [] { return draw_quads(4); }},
    {"texture-bilinear", "Mpixel/s", [] { prepare_texture(GL_LINEAR, 3.3f, 1.9f, 1); }, [] { return draw_quads(1); }},
    {"texture-trilinear", "Mpixel/s", [] { prepare_texture(GL_LINEAR_MIPMAP_LINEAR, 7.1f, 4.1f, 1); }, [] { return draw_quads(1); }},
    {"texture-anisotropic", "Mpixel/s", [] { prepare_texture(GL_LINEAR_MIPMAP_LINEAR, 15.1f, 2.1f, 8); }, [] { return draw_quads(1); }},
    {"arithmetic", "Mpixel/s", [] { use({{GL_VERTEX_SHADER, quad_vs}, {GL_FRAGMENT_SHADER, arithmetic_fs}}); },
     [] { return draw_quads(1); }},
    {"triangles", "Mtriangle/s",
     [] {
       prepare_grid();
       glEnable(GL_DEPTH_TEST);
       glDepthFunc(GL_LEQUAL);
     },
     [] {
       draw_grid();
       return 2e-6 * columns * rows;
     }},
    {"vertices", "Mvertex/s",
     [] {
       prepare_grid();
       glEnable(GL_RASTERIZER_DISCARD);
     },
     [] {
       draw_grid();
       return 1e-6 * (columns + 1) * (rows + 1);
     }},
    {"compute-fma", "GFLOP/s", prepare_fma,
     [] {
       glDispatchCompute(compute_groups, 1, 1);
       return 2e-9 * compute_groups * group_size * fma_rounds * 16;
     }},
    {"compute-copy", "GB/s", prepare_copy,
     [] {
       glDispatchCompute(copied_bytes / 16 / group_size, 1, 1);
       return 1e-9 * copied_bytes;
     }},
};

struct Rate {
  double value = 0;    ///< units a second
  double longest = 0;  ///< seconds that one round took until it was finished, of all of them
};

/// The first `warm_up` seconds are not counted (kernels are compiled in them).
Rate rate(const Task& task, double warm_up, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double longest = 0;
  const auto round = [&] {
    const auto start = Clock::now();
    const double done = task.work();
    glFinish();
    longest = std::max(longest, since(start));
    return done;
  };
  bind_target();
  task.prepare();
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  for (const auto start = Clock::now(); since(start) < warm_up;) round();
  double done = 0;
  const auto start = Clock::now();
  do done += round();
  while (since(start) < seconds);
  const double taken = since(start);
  for (GLenum feature : {GL_BLEND, GL_DEPTH_TEST, GL_RASTERIZER_DISCARD}) glDisable(feature);
  require(glGetError() == GL_NO_ERROR, fmt::format("{}: a GL error", task.name));
  return {done / taken, longest};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures rates of the GL driver that EGL finds.");
  double warm_up = 0.5, seconds = 1;
  std::vector<std::string> names;
  app.add_option("--warm-up", warm_up, "seconds before counting (default 0.5)");
  app.add_option("--seconds", seconds, "seconds a task (default 1)");
  app.add_option("TASK", names, "tasks to do (default: all)");
  CLI11_PARSE(app, argc, argv);
  try {
    open_display();
    std::string rates;
    for (const Task& task : tasks) {
      if (!names.empty() && std::find(names.begin(), names.end(), task.name) == names.end()) continue;
      const Rate measured = rate(task, warm_up, seconds);
      rates += fmt::format(R"({}"{}": {{"value": {:.6g}, "unit": "{}", "longest_milliseconds": {:.6g}}})", rates.empty() ? "" : ", ",
                           task.name, measured.value, task.unit, 1e3 * measured.longest);
    }
    const auto text = [](GLenum name) { return reinterpret_cast<const char*>(glGetString(name)); };
    fmt::print(R"({{"renderer": "{}", "version": "{}", "rates": {{{}}}}})"
               "\n",
               text(GL_RENDERER), text(GL_VERSION), rates);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gl_rates: {}\n", error.what());
    return 1;
  }
}
