// Bytes as many as the shape wants: of 0 and 1, which every dtype has.
#include "ir/ops/constant.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Constant& op, Chooser& choose) {
  op.shape = choose.numbers(choose.below(3), {1, 2, 3, 5, 8});
  std::size_t bytes = ir::info(op.dtype).bytes;
  for (const std::int64_t extent : op.shape) bytes *= static_cast<std::size_t>(extent);
  op.data.resize(bytes);
  for (std::byte& one : op.data) one = static_cast<std::byte>(choose.below(2));
}

}  // namespace plumb::parity::studies::fuzz
