// The table of tensor types by their numbers.
#include "ir/formats/gguf/types.hpp"

#include <algorithm>

#include "ir/attribute.hpp"

namespace plumb::ir::formats::gguf {
namespace {

/// A type by number and name; blocks that ir/kernels/packed knows have their sizes there.
struct Numbered {
  std::uint32_t id;
  std::string_view name;
  std::optional<DType> dtype = {};
  std::int64_t elements = 0, bytes = 0;
};

constexpr std::array numbered_types = {
    Numbered{0, "f32", DType::f32},
    Numbered{1, "f16", DType::f16},
    Numbered{2, "q4_0"},
    Numbered{3, "q4_1"},
    Numbered{6, "q5_0"},
    Numbered{7, "q5_1"},
    Numbered{8, "q8_0"},
    Numbered{10, "q2_k"},
    Numbered{11, "q3_k"},
    Numbered{12, "q4_k"},
    Numbered{13, "q5_k"},
    Numbered{14, "q6_k"},
    Numbered{15, "q8_k", {}, 256, 292},
    Numbered{16, "iq2_xxs", {}, 256, 66},
    Numbered{17, "iq2_xs", {}, 256, 74},
    Numbered{18, "iq3_xxs", {}, 256, 98},
    Numbered{19, "iq1_s", {}, 256, 50},
    Numbered{20, "iq4_nl"},
    Numbered{21, "iq3_s", {}, 256, 110},
    Numbered{22, "iq2_s", {}, 256, 82},
    Numbered{23, "iq4_xs"},
    Numbered{24, "i8", DType::i8},
    Numbered{25, "i16", DType::i16},
    Numbered{26, "i32", DType::i32},
    Numbered{27, "i64", DType::i64},
    Numbered{28, "f64", DType::f64},
    Numbered{29, "iq1_m", {}, 256, 56},
    Numbered{30, "bf16", DType::bf16},
    Numbered{34, "tq1_0", {}, 256, 54},
    Numbered{35, "tq2_0", {}, 256, 66},
    Numbered{39, "mxfp4"},
    Numbered{40, "nvfp4_block", {}, 64, 36},
    Numbered{41, "q1_0", {}, 128, 18},
    Numbered{42, "q2_0", {}, 64, 18},
};

}  // namespace

std::optional<kernels::packed::Format> ElementType::format() const {
  return is_plain() ? std::nullopt : enum_value<kernels::packed::Format>(name);
}

ElementType element_type(std::uint32_t id) {
  const auto found = std::ranges::find(numbered_types, id, &Numbered::id);
  const bool is_withdrawn = id == 4 || id == 5 || (31 <= id && id <= 33) || (36 <= id && id <= 38);
  require(!is_withdrawn, "type ", id, " is a layout that was withdrawn");
  require(id != 9, "type 9 (q8_1) is for products in flight, and in no file");
  require(found != numbered_types.end(), "type ", id, " is unknown");
  if (found->dtype)
    return {.id = id,
            .name = found->name,
            .dtype = *found->dtype,
            .bytes = static_cast<std::int64_t>(info(*found->dtype).bytes)};
  ElementType type{
      .id = id, .name = found->name, .dtype = DType::u8, .elements = found->elements, .bytes = found->bytes};
  if (type.elements == 0) {
    const kernels::packed::Layout block = kernels::packed::layout(*enum_value<kernels::packed::Format>(found->name));
    type.elements = block.elements;
    type.bytes = block.bytes;
  }
  return type;
}

}  // namespace plumb::ir::formats::gguf
