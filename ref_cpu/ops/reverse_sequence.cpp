#include "ir/ops/reverse_sequence.hpp"

#include <algorithm>
#include <cstring>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// Throws Error at the first that is no length of a sequence of `extent` elements.
ScratchVector<std::int64_t> lengths_of(const ir::TensorView& lengths, std::int64_t extent) {
  ScratchVector<std::int64_t> found;
  ir::visit_index(lengths.dtype(), [&]<class T>(T) {
    for (const T length : lengths.as<T>()) {
      ir::require(0 <= length && length <= extent, "lengths[", found.size(), "] is ", length, ", outside [0, ", extent,
                  "]");
      found.push_back(length);
    }
  });
  return found;
}

}  // namespace

void run(const ir::ops::ReverseSequence& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const ir::Lines time = ir::along(shape, op.time_axis), batch = ir::along(shape, op.batch_axis);
  const auto lengths = lengths_of(call.in(1), time.length);
  const std::byte* x = call.in(0).bytes().data();
  std::byte* y = call.out(0).bytes().data();
  // Elements inside both axes stay together.
  const std::int64_t run = std::min(time.inner, batch.inner);
  const std::size_t bytes = static_cast<std::size_t>(run) * ir::info(call.in(0).dtype()).bytes;
  const std::int64_t time_inner = time.inner / run, batch_inner = batch.inner / run;
  parallel_for(
      shape.elements() / run, std::max<std::int64_t>((1 << 14) / run, 1), [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) {
          const std::int64_t t = i / time_inner % time.length, b = i / batch_inner % batch.length;
          const std::int64_t length = lengths[static_cast<std::size_t>(b)];
          const std::int64_t from = t < length ? i + (length - 1 - 2 * t) * time_inner : i;
          std::memcpy(y + static_cast<std::size_t>(i) * bytes, x + static_cast<std::size_t>(from) * bytes, bytes);
        }
      });
}

}  // namespace plumb::ref_cpu
