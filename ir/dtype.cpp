// Sets of dtypes as messages list them: "f16, f32 or f64".
#include "ir/dtype.hpp"

#include <vector>

namespace plumb::ir {

std::ostream& operator<<(std::ostream& out, DTypes dtypes) {
  std::vector<DType> members;
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (dtypes.contains(static_cast<DType>(i))) members.push_back(static_cast<DType>(i));
  for (std::size_t i = 0; i < members.size(); ++i)
    out << (i == 0 ? "" : i + 1 == members.size() ? " or " : ", ") << members[i];
  return out;
}

}  // namespace plumb::ir
