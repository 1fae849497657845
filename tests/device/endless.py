# SPDX-License-Identifier: GPL-2.0-or-later
"""Work that does not end by itself, as memory images: a context image, a ring and a batch of each kind in SCENES, for a machine's GGTT (Submission)
and, by `endless.py OUT.h`, for the unit tests. All addresses are GGTT addresses."""
import struct
import sys

from packets import packet, structure

RENDER = 0x2000  # the engine's registers

# One region of the GGTT, of SIZE bytes.
SIZE = 0x400000
STATUS_PAGE, IMAGE, RING, BATCH, RESULT = 0x20000, 0x40000, 0x80000, 0x90000, 0xA0000
INSTRUCTIONS, DYNAMIC, SURFACES, VERTICES, INDICES, TARGET = 0x100000, 0x110000, 0x120000, 0x130000, 0x140000, 0x200000
FINISHED = 0x600D  # at RESULT after the ring has passed the batch

# Kernels, by offset from Instruction Base Address; native instructions as hw/eu/isa/gen9/codec.cpp encodes them.
ENDLESS, ENDS, PATCH = 0x000, 0x080, 0x100
_MOVE_HEADER = (0x2FC0020C00600001, 0x00000000008D0000)  # mov(8) g126<1>UD g0<8,8,1>UD {NoMask}
_END = (0x2000024407600031, 0x82000010068D0FC0)  # send(8) null g126 thread spawner {NoMask EOT}
_KERNELS = {
    ENDLESS: [(0x3400082400000020, 0xFFFFFFF00E001400), _MOVE_HEADER, _END],  # jmpi(1) -16D {NoMask}
    ENDS: [_MOVE_HEADER, _END],
    # A hull shader: all eight dwords of the patch header, whose handle is r0.0, become 1.0.
    PATCH: [(0x2E00020C00600001, 0)]  # mov(8) g112<1>UD g0<0,1,0>UD {NoMask}
           + [(0x2E003EEC00600001 + (n << 53), 0x3F800000 << 32) for n in range(1, 9)]  # mov(8) g113 to g120<1>F 1.0F {NoMask}
           + [(0x2000024006600031, 0x92000007068D0E00)],  # send(8) null g112 URB, SIMD8 write, 9 registers {EOT}
}
VIEWPORT, DESCRIPTOR = 0x000, 0x100  # from Dynamic State Base Address
TABLE, SURFACE = 0x000, 0x040  # from Surface State Base Address

WIDE, HIGH = 16384, 16384


class Work:
    """`batch` runs from a ring that then stores FINISHED at RESULT. `memory`: bytes by address. `on_restore`: it is the context's workaround
    batch instead (BB_PER_CTX_PTR)."""

    def __init__(self, batch, memory=None, on_restore=False):
        self.memory = dict(memory or {})
        for offset, words in _KERNELS.items():
            self.memory[INSTRUCTIONS + offset] = struct.pack(f"<{2 * len(words)}Q", *(half for word in words for half in word))
        self.put(BATCH, batch + packet("MI_BATCH_BUFFER_END"))
        ring = [] if on_restore else packet("MI_BATCH_BUFFER_START", {"Batch Buffer Start Address": BATCH})
        ring += packet("MI_STORE_DATA_IMM", {"Use Global GTT": 1, "Address": RESULT, "Immediate Data": FINISHED}) + packet("MI_USER_INTERRUPT")
        ring += packet("MI_NOOP") * (len(ring) % 2)
        self.put(RING, ring)
        self.put(IMAGE + 0x1000, self.image(4 * len(ring), BATCH | 1 if on_restore else 0))
        self.put(STATUS_PAGE, [0] * 0x20)

    def put(self, address, dwords):
        self.memory[address] = struct.pack(f"<{len(dwords)}I", *dwords)

    @staticmethod
    def image(tail, per_context):
        """Page 1 of a context image with restore inhibit (KBL PRM vol 3, "Register/State Context"): of the ring context what a ring needs."""
        page = [0] * 0x40
        page[1] = 0x1100101B
        for index, (offset, value) in enumerate(((0x244, 0x00090009), (0x34, 0), (0x30, tail), (0x38, RING), (0x3C, 1))):
            page[2 + 2 * index], page[3 + 2 * index] = RENDER + offset, value
        page[0x18], page[0x19] = RENDER + 0x1C0, per_context
        return page

    @staticmethod
    def registers():
        """Register writes that submit it on a device as reset leaves it: execlists on, status page, ELSP."""
        return [(RENDER + 0x29C, 0x80008000), (RENDER + 0x9C, 0x01000000), (RENDER + 0x80, STATUS_PAGE),
                *((RENDER + 0x230, value) for value in (0, 0, 0x20, IMAGE | 0x19))]


def _bases():
    fields = {}
    for name, address in (("General State", 0), ("Surface State", SURFACES), ("Dynamic State", DYNAMIC), ("Indirect Object", 0),
                          ("Instruction", INSTRUCTIONS)):
        fields |= {f"{name} Base Address": address, f"{name} Base Address Modify Enable": 1}
    return packet("STATE_BASE_ADDRESS", fields)


def _draw(topology, state, vertices=3, instances=1, indexed=False):
    """Vertices are two slots: zeros, then a position from VERTICES in pixels."""
    element = {"Valid": 1, "Source Element Format": "R32G32B32A32_FLOAT"}
    zeros = {f"Component {i} Control": "VFCOMP_STORE_0" for i in range(4)}
    source = {f"Component {i} Control": "VFCOMP_STORE_SRC" for i in range(4)}
    buffer = {"Address Modify Enable": 1, "Buffer Pitch": 16, "Buffer Starting Address": VERTICES, "Buffer Size": 64}
    return (packet("PIPELINE_SELECT", {"Mask Bits": 3, "Pipeline Selection": "3D"}) + _bases()
            + packet("3DSTATE_VERTEX_BUFFERS", extra=structure("VERTEX_BUFFER_STATE", buffer))
            + packet("3DSTATE_VERTEX_ELEMENTS", extra=structure("VERTEX_ELEMENT_STATE", element | zeros)
                     + structure("VERTEX_ELEMENT_STATE", element | source))
            + packet("3DSTATE_VF_TOPOLOGY", {"Primitive Topology Type": topology})
            + packet("3DSTATE_URB_VS", {"VS Number of URB Entries": 64})
            + packet("3DSTATE_DRAWING_RECTANGLE", {"Clipped Drawing Rectangle X Max": WIDE - 1, "Clipped Drawing Rectangle Y Max": HIGH - 1})
            + packet("3DSTATE_RASTER", {"Cull Mode": "CULLMODE_NONE"})
            + packet("3DSTATE_SAMPLE_MASK", {"Sample Mask": 1})
            + state
            + packet("3DPRIMITIVE", {"Vertex Access Type": "RANDOM" if indexed else "SEQUENTIAL", "Vertex Count Per Instance": vertices,
                                     "Instance Count": instances}))


def _rectangle(width, height):
    """Of a RECTLIST: bottom right, bottom left, top left."""
    return {VERTICES: struct.pack("<12f", width, height, 0, 1, 0, height, 0, 1, 0, 0, 0, 1)}


_GS = {"Dispatch Mode": "DISPATCH_MODE_SIMD8", "Include Vertex Handles": 1, "Dispatch GRF Start Register For URB Data": 6,
       "Output Vertex Size": 1, "Kernel Start Pointer": ENDLESS, "Enable": 1}


def vertex_shader():
    return Work(_draw("3DPRIM_TRILIST", packet("3DSTATE_VS", {"Kernel Start Pointer": ENDLESS, "SIMD8 Dispatch Enable": 1, "Enable": 1,
                                                              "Dispatch GRF Start Register For URB Data": 2,
                                                              "Vertex URB Entry Read Length": 1})), _rectangle(64, 64))


def geometry_shader():
    return Work(_draw("3DPRIM_TRILIST", packet("3DSTATE_URB_GS", {"GS URB Entry Allocation Size": 1, "GS Number of URB Entries": 64})
                      + packet("3DSTATE_GS", _GS)), _rectangle(64, 64))


def _tessellated(hull, domain):
    state = packet("3DSTATE_URB_HS", {"HS Number of URB Entries": 8}) + packet("3DSTATE_URB_DS", {"DS Number of URB Entries": 64})
    state += packet("3DSTATE_HS", {"Enable": 1, "Kernel Start Pointer": hull, "Include Vertex Handles": 1,
                                   "Dispatch GRF Start Register For URB Data": 2, "Dispatch Mode": "DISPATCH_MODE_SINGLE_PATCH"})
    state += packet("3DSTATE_TE", {"TE Enable": 1, "TE Domain": "TRI", "Output Topology": "OUTPUT_TRI_CW",
                                   "Maximum Tessellation Factor Odd": 63.0, "Maximum Tessellation Factor Not Odd": 64.0})
    state += packet("3DSTATE_DS", {"Enable": 1, "Kernel Start Pointer": domain, "Dispatch Mode": "DISPATCH_MODE_SIMD8_SINGLE_PATCH",
                                   "Dispatch GRF Start Register For URB Data": 5})
    return Work(_draw("3DPRIM_PATCHLIST_1", state), _rectangle(64, 64))


def hull_shader():
    return _tessellated(ENDLESS, ENDS)


def domain_shader():
    return _tessellated(PATCH, ENDLESS)


def _target():
    """Binding table entry 0: the largest target, of the widest format."""
    surface = {"Surface Type": "SURFTYPE_2D", "Surface Format": "R32G32B32A32_FLOAT", "Tile Mode": "YMAJOR", "Surface Vertical Alignment": "VALIGN_4",
               "Surface Horizontal Alignment": "HALIGN_4", "Width": WIDE - 1, "Height": HIGH - 1, "Surface Pitch": WIDE * 16 - 1,
               "Surface Base Address": TARGET}
    return {SURFACES + SURFACE: struct.pack("<16I", *structure("RENDER_SURFACE_STATE", surface)),
            SURFACES + TABLE: struct.pack("<I", SURFACE)}


def _pixels(fields):
    return (packet("3DSTATE_BINDING_TABLE_POINTERS_PS", {"Pointer to PS Binding Table": TABLE})
            + packet("3DSTATE_PS", {"Kernel Start Pointer 0": ENDLESS, "8 Pixel Dispatch Enable": 1,
                                    "Dispatch GRF Start Register For Constant/Setup Data 0": 2} | fields)
            + packet("3DSTATE_PS_EXTRA", {"Pixel Shader Valid": 1, "Pixel Shader Kills Pixel": 1}) + packet("3DSTATE_PS_BLEND", {"Has Writeable RT": 1}))


def pixel_shader():
    return Work(_draw("3DPRIM_RECTLIST", _pixels({})), _rectangle(64, 64) | _target())


def fast_clear():
    # Of a target that has no CCS all pixels are written; the rectangle counts in blocks of 16 by 32 of them.
    return Work(_draw("3DPRIM_RECTLIST", _pixels({"Render Target Fast Clear Enable": 1}), instances=4096),
                _rectangle(WIDE / 16, HIGH / 32) | _target())


def depth_clear():
    depth = {"Surface Type": "SURFTYPE_2D", "Depth Write Enable": 1, "Surface Format": "D32_FLOAT", "Surface Pitch": WIDE * 4 - 1,
             "Surface Base Address": TARGET, "Width": WIDE - 1, "Height": HIGH - 1, "Depth": 2047, "Render Target View Extent": 2047,
             "Surface QPitch": HIGH // 4}
    clear = {"Depth Buffer Clear Enable": 1, "Full Surface Depth and Stencil Clear": 1, "Number of Multisamples": 4, "Sample Mask": 0xFFFF}
    return Work(packet("PIPELINE_SELECT", {"Mask Bits": 3, "Pipeline Selection": "3D"}) + _bases() + packet("3DSTATE_DEPTH_BUFFER", depth)
                + packet("3DSTATE_CLEAR_PARAMS", {"Depth Clear Value": 0.5, "Depth Clear Value Valid": 1})
                + packet("3DSTATE_WM_HZ_OP", clear) + packet("3DSTATE_WM_HZ_OP"))


def cut_indices():
    """2^32 - 1 instances of as many indices, none of which makes a vertex."""
    return Work(_draw("3DPRIM_TRISTRIP", packet("3DSTATE_VF", {"Indexed Draw Cut Index Enable": 1, "Cut Index": 0})
                      + packet("3DSTATE_INDEX_BUFFER", {"Index Format": "INDEX_DWORD", "Buffer Starting Address": INDICES, "Buffer Size": 4096}),
                      vertices=0xFFFFFFFF, instances=0xFFFFFFFF, indexed=True), {INDICES: bytes(4096)})


def _threads(kernel, packets, pipeline):
    descriptor = structure("INTERFACE_DESCRIPTOR_DATA", {"Kernel Start Pointer": kernel, "Number of Threads in GPGPU Thread Group": 1})
    return Work(packet("PIPELINE_SELECT", {"Mask Bits": 3, "Pipeline Selection": pipeline}) + _bases()
                + packet("MEDIA_VFE_STATE", {"Maximum Number of Threads": 55, "Number of URB Entries": 2, "URB Entry Allocation Size": 2})
                + packet("MEDIA_INTERFACE_DESCRIPTOR_LOAD", {"Interface Descriptor Total Length": 4 * len(descriptor),
                                                             "Interface Descriptor Data Start Address": DESCRIPTOR}) + packets,
                {DYNAMIC + DESCRIPTOR: struct.pack(f"<{len(descriptor)}I", *descriptor)})


def _walker(size):
    return packet("GPGPU_WALKER", {"Thread Group ID X Dimension": size, "Thread Group ID Y Dimension": size, "Thread Group ID Z Dimension": size,
                                   "Right Execution Mask": 0xFF, "Bottom Execution Mask": 0xFFFFFFFF})


def compute():
    return _threads(ENDLESS, _walker(1), "GPGPU")


def widest_walker():
    return _threads(ENDS, _walker(0xFFFFFFFF), "GPGPU")


def media():
    return _threads(ENDLESS, packet("MEDIA_OBJECT"), "Media")


def media_walker():
    """As many threads as one packet can name, with steps of zero."""
    max_values = {"Color Count Minus One": 15, "Middle Loop Extra Steps": 31, "Global Loop Exec Count": 4095, "Local Loop Exec Count": 4095,
            "Block Resolution X": 2047, "Block Resolution Y": 2047, "Global Resolution X": 2047, "Global Resolution Y": 2047,
            "Local Inner Loop Unit X": 1, "Global Inner Loop Unit X": 1}
    return _threads(ENDS, packet("MEDIA_OBJECT_WALKER", max_values), "Media")


def _workaround(work):
    return Work([word for (word,) in struct.iter_unpack("<I", work.memory[BATCH])][:-1], work.memory, on_restore=True)


def workaround_walker():
    """A context whose workaround batch starts a thread that never ends: hardware forbids it, the engine hangs there."""
    return _workaround(compute())


def workaround_loop():
    """A context whose workaround batch runs in a circle."""
    return _workaround(batch())


def batch():
    """Jumps to itself."""
    return Work(packet("MI_BATCH_BUFFER_START", {"Batch Buffer Start Address": BATCH}))


def semaphore():
    """Waits for a dword that is never written."""
    return Work(packet("MI_SEMAPHORE_WAIT", {"Memory Type": "Global Graphics Address", "Wait Mode": "Polling Mode",
                                             "Compare Operation": "COMPARE_SAD_EQUAL_SDD", "Semaphore Data Dword": 1,
                                             "Semaphore Address": RESULT + 8}))


WORK = {function.__name__: function for function in (
    vertex_shader, hull_shader, domain_shader, geometry_shader, pixel_shader, compute, media, batch, semaphore, widest_walker, media_walker,
    cut_indices, fast_clear, depth_clear, workaround_walker, workaround_loop)}


def write_header(path):
    """The same for C++: namespace softgen::test."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("// Generated by tests/device/endless.py.\n#pragma once\n\n#include <cstdint>\n#include <span>\n\nnamespace softgen::test {\n\n"
                  "struct WorkPiece {\n  uint64_t address;\n  std::span<const uint32_t> dwords;\n};\n"
                  "struct EndlessWork {\n  const char* name;\n  std::span<const WorkPiece> memory;\n};\n"
                  f"constexpr uint64_t work_bytes = {SIZE:#x}, work_result = {RESULT:#x}, work_image = {IMAGE:#x};\n"
                  f"constexpr uint32_t work_finished = {FINISHED:#x};\n"
                  "constexpr struct {\n  uint32_t offset, value;\n} work_registers[] = {"
                  + ", ".join(f"{{{offset:#x}, {value:#x}}}" for offset, value in Work.registers()) + "};\n")
        for name, make in WORK.items():
            pieces = make().memory
            for at, data in pieces.items():
                data += bytes(-len(data) % 4)
                words = ", ".join(f"{word:#x}" for word in struct.unpack(f"<{len(data) // 4}I", data))
                out.write(f"constexpr uint32_t {name}_{at:x}[] = {{{words}}};\n")
            out.write(f"constexpr WorkPiece {name}_memory[] = {{" + ", ".join(f"{{{at:#x}, {name}_{at:x}}}" for at in pieces) + "};\n")
        out.write("constexpr EndlessWork endless_work[] = {" + ", ".join(f'{{"{name}", {name}_memory}}' for name in WORK) + "};\n")
        out.write("\n}  // namespace softgen::test\n")


if __name__ == "__main__":
    write_header(sys.argv[1])
