# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of scripts/apps: how each is run on our GPU and on its peer, and how far their pictures may differ.

A command runs in a folder that holds only `files`. Its pictures are the files that it writes there, or ("display") the frames that it shows."""
import collections

from common import ROOT

# `limit`: the largest tolerated difference of a channel value (0 to 255); `share`: the fraction of values that may differ by more.
Bound = collections.namedtuple("Bound", "limit share why")
# How the peer runs. `display`: under softgen-run, which it uses as a display only. `command`: if it differs from the row's.
Peer = collections.namedtuple("Peer", "name environment display command", defaults=[None])
# `pictures`: raw FILE, images PATTERN, or display; the first `count` are compared, fewer are a failure. `seconds`: time-out of one run.
# `fault`: {release: reason}: a bug of the program in this release (trixie, sid) makes it fail, so it is not run there.
# `needs`: an interface that not every platform's drivers have (LACKS).
# `long`: takes more than a minute, or needs more packages than scripts/test should install.
Row = collections.namedtuple("Row", "name packages command pictures count peer bound seconds environment files long fault needs", defaults=[{}, {}, False, {}, ""])

# The file's name in Debian 12, and in Debian 13.
LAVAPIPE_ICD = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json:/usr/share/vulkan/icd.d/lvp_icd.json"
LAVAPIPE = Peer("lavapipe", {"VK_DRIVER_FILES": LAVAPIPE_ICD, "VK_ICD_FILENAMES": LAVAPIPE_ICD}, False)
# Mesa's GBM draws with llvmpipe into dumb buffers of our card: both sides use the same display path.
LLVMPIPE = Peer("llvmpipe", {"MESA_LOADER_DRIVER_OVERRIDE": "kms_swrast"}, True)

# What a platform's drivers lack: crocus has GL 2.1 and GLES 2 on Ironlake, and neither anv nor compute-runtime knows it.
LACKS = {name: ("Vulkan", "OpenCL", "GL 3") for name in ("ilk", "ilkm")}

MONITOR = (320, 240)

# No chroma subsampling, no dither: the only step that rounds is one conversion to RGB.
MPV_SOURCE = "av://lavfi:testsrc2=s=320x240:d=1:r=5,format=yuv444p"
MPV = ["mpv", "--no-config", "--no-audio", "--untimed", "--framedrop=no", "--osd-level=0", "--dither-depth=no", "--msg-level=all=warn"]


def mpv(output):
    # llvmpipe cannot be the peer: mpv allocates its surfaces on the render node, which has no dumb buffers.
    peer = Peer("libswscale", {}, False, [*MPV, "--vo=image", "--vo-image-format=png", "--vo-image-outdir=.", MPV_SOURCE])
    # mpv exits before it flips to the fifth picture.
    return Row(f"mpv-{output}", ["mpv"], [*MPV, f"--vo={output}", "--gpu-context=drm", MPV_SOURCE], "display", 4, peer,
               Bound(1, 0, "one conversion from Y'CbCr, rounded once on each side"), 120)


# Gradients, blending, a rotated antialiased item, and an item drawn to a texture. No edge passes through a pixel centre.
QML_SCENE = """import QtQuick
import QtQuick.Window
Window {
    id: window
    visible: true
    visibility: Window.FullScreen
    Rectangle {
        anchors.fill: parent
        gradient: Gradient { GradientStop { position: 0; color: "#ffc040" } GradientStop { position: 1; color: "#4020a0" } }
    }
    Rectangle {
        x: 40; y: 30; width: 120; height: 90; radius: 20; rotation: 15; color: "#80ff2020"; antialiasing: true
        border { width: 4; color: "white" }
    }
    ShaderEffectSource { x: 170; y: 120; width: 140; height: 110; sourceItem: window.contentItem.children[1]; smooth: true }
    Repeater {
        model: 8
        Rectangle { x: 10 + 38 * index; y: 200; width: 30; height: 30; scale: 0.53 + index / 9.7; color: Qt.hsva(index / 8, 1, 1, 0.75) }
    }
    Timer { interval: 1000; running: true; onTriggered: Qt.quit() }
}
"""
# Blended, rotated squares with a repeating texture. The texels are computed with integers, so both sides have the same.
WEBGL_SCENE = """<!doctype html>
<body style="margin: 0"><canvas id="canvas" width="320" height="240"></canvas>
<script>
const gl = document.getElementById("canvas").getContext("webgl2", {preserveDrawingBuffer: true, antialias: false});
const shader = (type, text) => { const s = gl.createShader(type); gl.shaderSource(s, text); gl.compileShader(s); return s; };
const program = gl.createProgram();
gl.attachShader(program, shader(gl.VERTEX_SHADER, `#version 300 es
in vec2 position; out vec2 at; uniform float turn;
void main() { at = position * 0.5 + 0.5; gl_Position = vec4(mat2(cos(turn), sin(turn), -sin(turn), cos(turn)) * position * 0.7, 0, 1); }`));
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `#version 300 es
precision highp float; in vec2 at; uniform sampler2D image; out vec4 color;
void main() { color = texture(image, at * 3.0) * vec4(at, 1.0 - at.x, 0.8); }`));
gl.linkProgram(program);
gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
gl.enableVertexAttribArray(0);
gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
const texels = new Uint8Array(16 * 16 * 4).map((_, i) => (i * 37 + (i >> 6) * 11) & 255);
gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 16, 16, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
gl.generateMipmap(gl.TEXTURE_2D);
gl.clearColor(0.1, 0.3, 0.2, 1);
gl.clear(gl.COLOR_BUFFER_BIT);
gl.enable(gl.BLEND);
gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
for (let i = 0; i < 3; ++i) {
  gl.uniform1f(gl.getUniformLocation(program, "turn"), i * 0.6);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
}
</script>
"""
# The client and the compositor are two processes that both draw; the picture is the compositor's.
GTK_SCENE = """#!/usr/bin/python3
import subprocess
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk

def take_picture(application):
    subprocess.run(["weston-screenshooter"], check=True)
    application.quit()

def activate(application):
    Gtk.Settings.get_default().props.gtk_enable_animations = False
    window = Gtk.ApplicationWindow(application=application, decorated=False)
    grid = Gtk.Grid(row_spacing=6, column_spacing=6)
    grid.attach(Gtk.Label(label="softgen"), 0, 0, 1, 1)
    grid.attach(Gtk.Button(label="A button"), 1, 0, 1, 1)
    grid.attach(Gtk.ProgressBar(fraction=0.4, hexpand=True), 0, 1, 2, 1)
    grid.attach(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 10, 1), 0, 2, 2, 1)
    grid.attach(Gtk.CheckButton(label="Checked", active=True), 0, 3, 1, 1)
    grid.attach(Gtk.Switch(active=True), 1, 3, 1, 1)
    window.set_child(grid)
    window.fullscreen()
    window.present()
    GLib.timeout_add(2000, take_picture, application)  # after the first frames

application = Gtk.Application()
application.connect("activate", activate)
application.run()
"""
WESTON_CONFIGURATION = """[core]
idle-time=0
[shell]
panel-position=none
background-color=0xff203040
startup-animation=none
[autolaunch]
path=./scene.py
watch=true
"""
# Weston 12 has another name for --use-gl.
WESTON_SESSION = """
renderer=--use-gl
weston --help | grep -q -e --renderer && renderer=--renderer=gl
exec weston --debug --backend=headless-backend.so $renderer --width={} --height={} --shell={}
"""
# Core fonts, RENDER glyphs, antialiased polygons, and a client that draws with GL into a buffer shared with the server.
X_CLIENTS = """
export DISPLAY=:97
in_time() { for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "not in time: $*"; kill $server; exit 1; }
window() { xwininfo -root -tree | grep "$1" | sed 's/^ *//; s/ .*//; q'; }
shows() { id=$(window "$1") && [ "$id" ] && xwininfo -id $id | grep -q IsViewable; }
colours() { [ "$(xwd -silent -id "$(window "$1")" | od -An -v -tx4 -w4 | sort -u | wc -l)" -gt 1000 ]; }
picture() { xwd -root -silent -out now.xwd; }
settled() { mv now.xwd before.xwd; sleep 0.5; picture; cmp -s before.xwd now.xwd; }
in_time xdpyinfo
xsetroot -solid '#204060'
for font in "+320+10 -fa Mono -fs 9" "+10+320 -fn fixed"; do
    place=${font%% *} font=${font#* }
    xterm -T "${font%% *}" -geometry 30x4$place $font -e sh -c 'tput civis; echo softgen; sleep 1000' &
done
xlogo -render -geometry 120x120+320+150 &
xcalc -geometry 226x304+450+170 &
es2tri &
for window in " .-fa" " .-fn" xlogo Calculator "OpenGL ES"; do in_time shows "$window"; done
in_time colours "OpenGL ES"
picture
in_time settled
"""
# Shows the clients, leaves their picture in picture.xwd, and the server running. -noreset: a server resets when its last client disconnects; Debian
# 12's then frees a timer twice.
XORG_SCENE = f"""
Xorg :97 -config "$PWD/$1" -logfile "$PWD/log" -novtswitch -sharevts -nolisten tcp -nocursor -noreset -ac >server.log 2>&1 &
server=$!
{X_CLIENTS}
mv now.xwd picture.xwd
"""
XORG_SESSION = XORG_SCENE + """
kill $server
wait $server
"""
# The X screen is a window of Weston's.
XWAYLAND_SESSION = f"""#!/bin/sh
Xwayland :97 -noreset -ac >server.log 2>&1 &
server=$!
{X_CLIENTS}
mv now.xwd picture.xwd
kill $server
"""
XWAYLAND_CONFIGURATION = """[core]
idle-time=0
[autolaunch]
path=./scene.sh
watch=true
"""
# Of each file: what Chromium's decoder was, and the picture that the compositor has of it.
CHROMIUM_VIDEO_START = """#!/bin/sh
python3 ./scene.py $DECODER h264.mp4 vp9.webm >played
echo $? >status
"""
CHROMIUM_VIDEO_SHOWN = """#!/bin/sh
weston-screenshooter && mv wayland-screenshot-*.png "$1".png
"""
CHROMIUM_VIDEO_BOUND = Bound(3, 0, "one conversion from Y'CbCr and its filter of chroma, the window and its copy, each rounded to 8 bits")
CHROMIUM_VIDEO_SESSION = """
sh ./clips || exit
sh ./desktop
cat played
exit $(cat status)
"""
XORG_CONFIGURATION = """Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoAddGPU" "false"
EndSection
Section "Device"
  Identifier "card"
  Driver "modesetting"
  Option "kmsdev" "/dev/dri/card0"
  Option "AccelMethod" "{}"
EndSection
Section "Screen"
  Identifier "screen"
  Device "card"
EndSection
"""
# A cube and a smooth head that cast shadows on each other. EEVEE has another name in Blender 4.2 to 4.5.
BLENDER_SCENE = """import os
import sys
import bpy
scene = bpy.context.scene
for name in ({"eevee": ["BLENDER_EEVEE", "BLENDER_EEVEE_NEXT"], "workbench": ["BLENDER_WORKBENCH"]})[sys.argv[-1]]:
    try:
        scene.render.engine = name
    except TypeError:
        pass
scene.eevee.taa_render_samples = 2
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 320, 240, 100
scene.render.image_settings.file_format = "PNG"
scene.render.filepath = os.path.abspath("picture.png")
bpy.ops.mesh.primitive_monkey_add(location=(1.5, -1, 1))
bpy.ops.object.shade_smooth()
bpy.ops.render.render(write_still=True)
"""
OPENARENA_SCRIPT = "timedemo 1; demo demo088-test1; wait 60; screenshot; wait 30; screenshot; wait 2; quit\n"

MESA = ["libgl1-mesa-dri", "libegl1", "libgbm1", "libgles2", "mesa-vulkan-drivers"]

# Debian 13 has FFmpeg 7.1. anv's limit of 1 is right for Gen9, which has a single base address of bindless surfaces.
FFMPEG_DESCRIPTORS = "FFmpeg binds a descriptor buffer per set, more than the one that anv allows (maxResourceDescriptorBufferBindings)"
# FFmpeg's shader declares StorageImageReadWithoutFormat. Gen9 cannot do typed reads of R8_UNORM (Mesa's isl_format.c); anv emulates them
# only for formats that the shader declares.
FFMPEG_FORMATLESS = "FFmpeg 9 reads images without a format, which anv does not offer on Gen9 (shaderStorageImageReadWithoutFormat)"
# Source: copy_pl_queue() in FFmpeg's libavfilter/vf_libplacebo.c. lavapipe lacks VK_KHR_internally_synchronized_queues.
LIBPLACEBO_QUEUES = "FFmpeg 9 makes internally synchronized queues where the driver has them, and refuses to import those into a libplacebo before 7.365"


def ffmpeg(name, filters, bound, size="640x360", pixels="nv12", count=1, fault=None):
    """One picture by default: FFmpeg 7.1 uploads from a frame without holding a reference to it, so the next frame often
    overwrites it before the copy has run (vulkan_transfer_frame in its libavutil/hwcontext_vulkan.c)."""
    return Row(f"ffmpeg-{name}", ["ffmpeg"],
               ["ffmpeg", "-v", "error", "-nostdin", "-init_hw_device", "vulkan=v:0", "-filter_hw_device", "v", "-f", "lavfi", "-i", f"testsrc2=s={size}:d=1:r={count}",
                "-vf", f"format={pixels},hwupload,{filters},hwdownload,format={pixels}", "-f", "rawvideo", "out"],
               "raw out", count, LAVAPIPE, bound, 120, fault=fault or {}, needs="Vulkan")


# A 5x5 sharpening kernel; its weights add up to 5.
SHARPEN = "0 -1 -2 -1 0 -1 3 -4 3 -1 -2 -4 29 -4 -2 -1 3 -4 3 -1 0 -1 -2 -1 0"
SHARPEN_ALL = ":".join(f"{plane}m={SHARPEN}:{plane}rdiv=0.2:{plane}bias=0" for plane in range(3))
# Restricts the OpenCL loader to Intel's platform.
INTEL_OPENCL = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/intel.icd"}
OPENCL_GONE = "it has no compute-runtime"
OPENCL_GEN9 = "its compute-runtime knows no Gen9"


def chromium(name, *options):
    """Headless Chromium shows a WebGL 2 page through ANGLE. Its window is composited on the GPU, too."""
    def command(*words):
        return ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={MONITOR[0]},{MONITOR[1]}", "--use-gl=angle",
                "--ignore-gpu-blocklist", *words, "--screenshot=picture.png", "scene.html"]
    # The peer of Vulkan, too: Chromium refuses lavapipe.
    peer = Peer("llvmpipe", {"LIBGL_ALWAYS_SOFTWARE": "1"}, False, command("--use-angle=gles-egl"))
    return Row(f"chromium-{name}", ["chromium"], command(*options), "images picture.png", 1, peer,
               Bound(4, 0, "linear filters, three blended layers and the window, each rounded to 8 bits"), 180, {}, {"scene.html": WEBGL_SCENE},
               long=True, needs="GL 3")  # 400 MB


def blender(engine, bound):
    """Blender in background mode: without a display it draws on EGL's surfaceless platform."""
    return Row(f"blender-{engine}", ["blender"], ["blender", "-b", "--factory-startup", "--python", "scene.py", "--", engine], "images picture.png", 1,
               Peer("llvmpipe", {"LIBGL_ALWAYS_SOFTWARE": "1"}, False), bound, 600, {},
               {"scene.py": BLENDER_SCENE}, long=True, needs="GL 3")  # 76 packages


X_PACKAGES = ["xterm", "x11-apps", "x11-utils", "x11-xserver-utils", "mesa-utils", "xfonts-base", "fonts-dejavu-core"]

ROWS = [
    # FFmpeg 5.1's kernel has two bugs, which this size and a single plane avoid: threads outside the picture end without reaching the
    # group's barrier (a hang), and shared memory is overwritten with the next plane's values while other threads still read it.
    ffmpeg("avgblur-vulkan", "avgblur_vulkan=sizeX=5", Bound(2, 0, "a pass along each axis, each rounded to 8 bits"), "640x384", "gray",
           fault={"sid": FFMPEG_FORMATLESS}),
    ffmpeg("gblur-vulkan", "gblur_vulkan=sigma=4", Bound(2, 0, "a pass along each axis, each rounded to 8 bits"),
           count=5, fault={"trixie": FFMPEG_DESCRIPTORS, "sid": FFMPEG_DESCRIPTORS}),
    ffmpeg("libplacebo", "libplacebo=w=480:h=270:downscaler=mitchell:dithering=-1:deband=0",
           Bound(2, 0, "to RGB and back, and a pass along each axis in 16-bit floats, rounded to 8 bits at the end"), fault={"sid": LIBPLACEBO_QUEUES}),
    Row("ffmpeg-convolution-opencl", ["ffmpeg", "intel-opencl-icd", "pocl-opencl-icd"],
        ["ffmpeg", "-v", "error", "-nostdin", "-init_hw_device", "opencl=o:0.0", "-filter_hw_device", "o", "-f", "lavfi", "-i", "testsrc2=s=640x360:d=1:r=5",
         "-vf", f"format=yuv420p,hwupload,convolution_opencl={SHARPEN_ALL},hwdownload,format=yuv420p", "-f", "rawvideo", "out"],
        "raw out", 5, Peer("pocl", {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}, False),
        Bound(1, 0, "a sum of 25 products of floats, rounded once"), 120, INTEL_OPENCL,
        long=True,  # pocl depends on 100 MB of compiler
        fault={"trixie": OPENCL_GONE, "sid": OPENCL_GEN9}, needs="OpenCL"),
    Row("gstreamer-sobel", ["gstreamer1.0-tools", "gstreamer1.0-gl", "gstreamer1.0-plugins-base"],
        ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=5", "!", "video/x-raw,width=320,height=240,format=RGBA", "!", "glupload", "!",
         "gleffects", "effect=sobel", "!", "gldownload", "!", "video/x-raw,format=RGBA", "!", "filesink", "location=out"],
        "raw out", 5, LLVMPIPE, Bound(4, 0, "four passes, each rounded to 8 bits, and a square root"), 120,
        # A process that only looks for plugins would open the GPU first, by gstreamer1.0-vaapi, and the report would be its own.
        {"GST_GL_PLATFORM": "egl", "GST_REGISTRY_FORK": "no"}),
    mpv("gpu"),
    mpv("gpu-next"),
    Row("qt-quick", ["qml-qt6", "qml6-module-qtquick", "qml6-module-qtquick-window", "qml6-module-qtqml-workerscript", "qt6-qpa-plugins"],
        ["/usr/lib/qt6/bin/qml", "scene.qml"], "display", 1, LLVMPIPE, Bound(2, 0, "three blended layers, each rounded to 8 bits"), 120,
        {"QT_QPA_PLATFORM": "eglfs", "QT_QPA_EGLFS_INTEGRATION": "eglfs_kms", "QT_QPA_EGLFS_HIDECURSOR": "1"}, {"scene.qml": QML_SCENE}),
    Row("gtk4-weston", ["weston", "python3-gi", "gir1.2-gtk-4.0"], ["sh", "session"], "images wayland-screenshot-*.png", 1,
        Peer("llvmpipe", {"LIBGL_ALWAYS_SOFTWARE": "1"}, False), Bound(4, 0, "smooth corners, glyphs and shadows, and the window's copy, each rounded to 8 bits"), 120,
        {"GDK_BACKEND": "wayland", "GSK_RENDERER": "gl"},
        {"scene.py": GTK_SCENE, ".config/weston.ini": WESTON_CONFIGURATION, "session": WESTON_SESSION.format(*MONITOR, "desktop-shell.so")}),
    Row("xorg", X_PACKAGES + ["xserver-xorg-core"], ["sh", "session", "glamor.conf"], "images picture.xwd", 1,
        Peer("its own CPU drawing", {}, True, ["sh", "session", "cpu.conf"]), Bound(2, 0, "smooth edges and gradients, rounded to 8 bits"), 120, {},
        {"session": XORG_SESSION, "glamor.conf": XORG_CONFIGURATION.format("glamor"), "cpu.conf": XORG_CONFIGURATION.format("none")}),
    Row("xwayland-weston", X_PACKAGES + ["weston", "xwayland"], ["sh", "session"], "images picture.xwd", 1,
        Peer("llvmpipe", {"LIBGL_ALWAYS_SOFTWARE": "1"}, False), Bound(2, 0, "smooth edges and gradients, rounded to 8 bits"), 120, {},
        {"scene.sh": XWAYLAND_SESSION, ".config/weston.ini": XWAYLAND_CONFIGURATION, "session": WESTON_SESSION.format(640, 480, "desktop-shell.so")}),
    blender("workbench", Bound(4, 0.0005, "pixels that the edge of a triangle touches")),
    # Differs at silhouettes and creases only. Blender 3.4 uses fewer rays and differs in 0.003 %.
    blender("eevee", Bound(4, 0.006, "rays through the depth buffer end on either side of an edge, as depths are rounded")),
    chromium("gles", "--use-angle=gles-egl"),
    chromium("vulkan", "--use-angle=vulkan", "--enable-features=Vulkan"),
    # The scene fails unless Chromium has the decoder that was asked for, VaapiVideoDecoder on our GPU.
    Row("chromium-video", ["chromium", "weston", "python3", "ffmpeg", "intel-media-va-driver"], ["sh", "session"], "images *.png", 2,
        Peer("its own decoders", {"DECODER": "software", "LIBGL_ALWAYS_SOFTWARE": "1"}, False),
        CHROMIUM_VIDEO_BOUND, 180, {"DECODER": "vaapi"},
        {**{name: (ROOT / "scripts/guest/chromium-video" / name).read_text() for name in ("scene.py", "clips")}, "start": CHROMIUM_VIDEO_START,
         "shown": CHROMIUM_VIDEO_SHOWN, "session": CHROMIUM_VIDEO_SESSION, "desktop": WESTON_SESSION.format(640, 480, "desktop-shell.so"),
         ".config/weston.ini": WESTON_CONFIGURATION.replace("./scene.py", "./start")}, long=True, needs="GL 3"),
    Row("openarena", ["openarena"],
        ["openarena", "+set", "r_mode", "3", "+set", "r_fullscreen", "1", "+set", "cl_renderer", "opengl1", "+set", "s_initsound", "0", "+set", "cg_draw2D", "0",
         "+set", "con_notifytime", "0", "+exec", "softgen.cfg"],
        "images .openarena/baseoa/screenshots/*.tga", 2, LLVMPIPE,
        Bound(16, 0.002, "several textures a pixel, filtered at 8 bits and made twice as bright; edges of triangles"), 600,
        {"SDL_VIDEODRIVER": "kmsdrm", "SDL_AUDIODRIVER": "dummy"}, {".openarena/baseoa/softgen.cfg": OPENARENA_SCRIPT}, long=True),  # and its data are 400 MB
]

SHORT = [row for row in ROWS if not row.long]


def obstacle(row, release, platform):
    """Why the program cannot run with this release's Mesa on this platform, or ""."""
    if row.needs in LACKS.get(platform, ()):
        return f"{platform} has no {row.needs}"
    return row.fault.get(release, "")


def packages(rows):
    """The Debian packages that `rows` need, sorted."""
    return sorted({*MESA, *(package for row in rows for package in row.packages)})


def place_rows(row):
    """The rows that share a release's root folder with `row`: all short rows share one, each long row has its own."""
    return [row] if row.long else SHORT
