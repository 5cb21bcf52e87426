// Sets of dtypes as messages list them: "f16, f32 or f64".
#include "ir/dtype.hpp"

#include <vector>

namespace plumb::ir {
namespace {

/// By kind and by width, where the enumerators are as they came.
constexpr std::array<DType, dtype_count> in_order = {
    DType::boolean, DType::u8,  DType::i8,   DType::u16, DType::i16, DType::i32, DType::u32,
    DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128};

}  // namespace

std::ostream& operator<<(std::ostream& out, DTypes dtypes) {
  std::vector<DType> members;
  for (const DType dtype : in_order)
    if (dtypes.contains(dtype)) members.push_back(dtype);
  for (std::size_t i = 0; i < members.size(); ++i)
    out << (i == 0 ? "" : i + 1 == members.size() ? " or " : ", ") << members[i];
  return out;
}

}  // namespace plumb::ir
