/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GL_INTEL_performance_query: prints each counter of a query over draws of a textured square.
 *
 *     perf_query                            prints the names of all queries
 *     perf_query QUERY WIDTH HEIGHT DRAWS   prints one line per counter: name, tab, value
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <GLES2/gl2ext.h> /* needs a header of GLES */

#define LOAD(type, name) static type name
LOAD(PFNGLGETFIRSTPERFQUERYIDINTELPROC, first_query);
LOAD(PFNGLGETNEXTPERFQUERYIDINTELPROC, next_query);
LOAD(PFNGLGETPERFQUERYINFOINTELPROC, query_info);
LOAD(PFNGLGETPERFCOUNTERINFOINTELPROC, counter_info);
LOAD(PFNGLCREATEPERFQUERYINTELPROC, create_query);
LOAD(PFNGLBEGINPERFQUERYINTELPROC, begin_query);
LOAD(PFNGLENDPERFQUERYINTELPROC, end_query);
LOAD(PFNGLGETPERFQUERYDATAINTELPROC, query_data);
LOAD(PFNGLDELETEPERFQUERYINTELPROC, delete_query);

static void fail(const char* what) {
  fprintf(stderr, "perf_query: %s\n", what);
  exit(1);
}

static void load_functions(void) {
  *(void**)&first_query = (void*)eglGetProcAddress("glGetFirstPerfQueryIdINTEL");
  *(void**)&next_query = (void*)eglGetProcAddress("glGetNextPerfQueryIdINTEL");
  *(void**)&query_info = (void*)eglGetProcAddress("glGetPerfQueryInfoINTEL");
  *(void**)&counter_info = (void*)eglGetProcAddress("glGetPerfCounterInfoINTEL");
  *(void**)&create_query = (void*)eglGetProcAddress("glCreatePerfQueryINTEL");
  *(void**)&begin_query = (void*)eglGetProcAddress("glBeginPerfQueryINTEL");
  *(void**)&end_query = (void*)eglGetProcAddress("glEndPerfQueryINTEL");
  *(void**)&query_data = (void*)eglGetProcAddress("glGetPerfQueryDataINTEL");
  *(void**)&delete_query = (void*)eglGetProcAddress("glDeletePerfQueryINTEL");
}

static void make_context(void) {
  EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
  if (!eglInitialize(display, NULL, NULL)) { fail("no display"); }
  eglBindAPI(EGL_OPENGL_ES_API);
  EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) { fail("no context"); }
}

static GLuint shader(GLenum stage, const char* text) {
  GLuint made = glCreateShader(stage);
  glShaderSource(made, 1, &text, NULL);
  glCompileShader(made);
  return made;
}

static void make_program(void) {
  GLuint program = glCreateProgram();
  glAttachShader(program, shader(GL_VERTEX_SHADER,
                                 "#version 300 es\nvoid main() {\n"
                                 "  gl_Position = vec4(gl_VertexID % 2 * 2 - 1, gl_VertexID / 2 * 2 - 1, 0, 1); }\n"));
  glAttachShader(program, shader(GL_FRAGMENT_SHADER,
                                 "#version 300 es\nprecision highp float;\nuniform sampler2D image; out vec4 colour;\n"
                                 "void main() { colour = texture(image, gl_FragCoord.xy / 64.0); }\n"));
  glLinkProgram(program);
  glUseProgram(program);
}

static void make_targets(int width, int height) {
  GLuint textures[2], framebuffer;
  glGenTextures(2, textures);
  glGenFramebuffers(1, &framebuffer);
  glBindTexture(GL_TEXTURE_2D, textures[0]);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
  glBindTexture(GL_TEXTURE_2D, textures[1]);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 64, 64);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glViewport(0, 0, width, height);
}

static void draw(int draws) {
  for (int i = 0; i < draws; i++) { glDrawArrays(GL_TRIANGLE_STRIP, 0, 4); }
}

static GLuint find_query(const char* wanted, GLuint* bytes, GLuint* counters) {
  GLuint id = 0;
  first_query(&id);
  for (; id;) {
    char name[256] = "";
    GLuint instances, mask, next = 0;
    query_info(id, sizeof name, name, bytes, counters, &instances, &mask);
    if (!wanted) { puts(name); }
    if (wanted && strcmp(name, wanted) == 0) { return id; }
    next_query(id, &next);
    id = next;
  }
  return 0;
}

static void print_counter(GLuint query, GLuint counter, const char* data) {
  char name[256] = "", text[1024] = "";
  GLuint offset, bytes, kind, type;
  GLuint64 max;
  counter_info(query, counter, sizeof name, name, sizeof text, text, &offset, &bytes, &kind, &type, &max);
  unsigned long long whole = 0;
  float part = 0;
  if (type == GL_PERFQUERY_COUNTER_DATA_FLOAT_INTEL) {
    memcpy(&part, data + offset, sizeof part);
    printf("%s\t%g\n", name, part);
    return;
  }
  memcpy(&whole, data + offset, bytes < sizeof whole ? bytes : sizeof whole);
  printf("%s\t%llu\n", name, whole);
}

int main(int argc, char** argv) {
  make_context();
  load_functions();
  if (!first_query) { fail("no GL_INTEL_performance_query"); }
  GLuint bytes = 0, counters = 0, query = 0, handle = 0, written = 0;
  query = find_query(argc > 1 ? argv[1] : NULL, &bytes, &counters);
  if (argc < 5) { return 0; }
  if (!query) { fail("no such query"); }
  make_targets(atoi(argv[2]), atoi(argv[3]));
  make_program();
  draw(1); /* uploads and clears are done before */
  glFinish();
  create_query(query, &handle);
  begin_query(handle);
  if (glGetError()) { fail("the query does not begin"); }
  draw(atoi(argv[4]));
  end_query(handle);
  char* data = calloc(1, bytes);
  query_data(handle, GL_PERFQUERY_WAIT_INTEL, (GLsizei)bytes, data, &written);
  if (glGetError() || written == 0) { fail("the query has no data"); }
  for (GLuint counter = 1; counter <= counters; counter++) { print_counter(query, counter, data); }
  delete_query(handle);
  return 0;
}
