# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/gen_messages.py: the code generated from a small messages.def, checked by the compiler, and errors."""
import unittest

from driver import GeneratorTest, script

MESSAGES = """# Comments and empty lines count for nothing.
fields Port
  7:0   Binding Table Index
  18:14 Message Type
  30    Last
enum Simd
  0 SIMD8  "8"
  # A comment between values.
  2 SIMD16 "16"
neutral enum Operation
  1 AND "and"
header Sampler
  dw2 3:0  R Offset : int
  dw3 31:5 State Pointer : address
  dw7      Mask
reply Answer
  dw1 5:4 Shape
  dw1 31  Last
function 0 null "null"
function 2 sampler "sampler" type=Port.Message_Type
  1 sample fields=Port kind=sample zero_lod parameters=uvr "sample"
  3 other  fields=Port "other"
  8-9 range fields=Port kind=sample simd4x2 "range"
function 4 dp_cache "cache" as=sampler
"""
CHECKS = """
using namespace softgen;
using namespace softgen::defs::small::message;
static_assert(Port{0x1234}.binding_table_index() == 0x34 && Port{1u << 18}.message_type() == 16 && Port{1u << 30}.last());
static_assert(text(Simd::SIMD16) == "16" && text(static_cast<Simd>(1)).empty() && text(static_cast<Simd>(3)).empty());
static_assert(Operation::AND == static_cast<Operation>(1) && static_cast<int>(Sfid::dp_cache) == 4);
constexpr uint32_t header[8] = {0, 0, 0x18, 0x3f, 0, 0, 0, 0xffff0001};
static_assert(message_header::Sampler{header}.r_offset() == -8 && message_header::Sampler{header}.state_pointer() == 0x20);
static_assert(message_header::Sampler{header}.mask() == 0xffff0001);
constexpr uint32_t answered() {
  uint32_t reply[8] = {0, 0x7fffffff};
  message_reply::Answer{reply}.set_shape(6), message_reply::Answer{reply}.set_last(1);
  return reply[1];
}
static_assert(answered() == 0xffffffef);
constexpr auto& types = functions[2].types;
static_assert(types.size() == 10 && types[0].kind == MessageKind::reserved && types[3].kind == MessageKind::unimplemented);
static_assert(types[9].code == 8 && types[9].simd4x2 && !types[1].simd4x2 && sampler::other == 3);
static_assert(types[1].sampler->positions[defs::parameter_letters.find('v')] == 1 && types[1].sampler->zero_lod && !types[3].sampler);
static_assert(functions[2].high == 18 && functions[2].low == 14 && functions[4].types.data() == types.data());
static_assert(functions[0].types.empty() && functions[1].text.empty() && functions[4].text == "cache");
"""


class Messages(GeneratorTest, unittest.TestCase):
    folder = "hw/defs/messages"

    def generate(self, text):
        (self.out / "small.def").write_text(text)
        return script("gen_messages.py", "small", str(self.out), str(self.out / "small.def"))

    def test_structs_enumerations_and_tables(self):
        self.assert_accepted(self.generate(MESSAGES))
        self.assert_accepted(script("gen_messages.py", "--ids", str(self.out), str(self.out / "small.def")))
        self.assert_compiles('#include "hw/defs/messages/small.h"\n#include "hw/defs/messages/headers.h"\n' + CHECKS)

    def test_what_it_refuses(self):
        fields = "fields Port\n  18:14 Type\n"
        function = fields + 'function 2 sampler "sampler" type=Port.Type\n'
        self.assert_refused(self.generate, (
            ("  7:0 Alone\n", "small.def:1: an indented line without a block"),
            ("fields Port\n  0:7 Upside Down\n", "small.def:2: bits 0:7"),
            ("fields Port\n  32 Beyond\n", "small.def:2: bits 32:32"),
            ("fields Port\n  Name\n", "small.def:2: a field has bits"),
            ("fields Port\n  0 One\n  1 one\n", "two fields of one name"),
            (fields + fields, "small.def:3: unknown block, or a second one"),
            ("header H\n  dw8 1:0 Beyond\n", "small.def:2: a header's field"),
            ("header H\n  dw1 3:0 Low : address\n", "small.def:2: Low: an address"),
            (function + '  1 a fields=Port "a"\n  1 b fields=Port "b"\n', "sampler: type b: the code is taken"),
            (function + '  32 a fields=Port "a"\n', "sampler: type a: the code is taken or too large"),
            (function + '  1 a fields=None "a"\n', "sampler: type a: the code is taken or too large, or there are no fields None"),
            (function + '  1 a "a"\n', "small.def:4: bad type"),
            (function + '  1 a fields=Port colour=red "a"\n', "small.def:4: bad type"),
            (function + '  1 a fields=Port parameters=uu "a"\n', "small.def:4: a: parameters uu"),
            (fields + 'function 2 sampler "s" type=Port.Kind\n  1 a fields=Port "a"\n', "function sampler: no field Port.Kind"),
            ('function 16 sampler "s"\n', "small.def:1: bad function"),
            ('function 2 sampler "s" as=other\n', "function other: declared 0 times instead of once")))


if __name__ == "__main__":
    unittest.main()
