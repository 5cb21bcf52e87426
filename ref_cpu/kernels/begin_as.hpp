#pragma once

#include "ir/raw/copy_bytes.hpp"
#include "ir/tensor.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {

/// y begins as x, of which the kernel then changes a part: by a copy, or as it is where the executor placed y in the
/// memory of x (ref_cpu/in_place.hpp). A kernel that does so checks its indices before it writes.
inline void begin_as(const ir::TensorView& x, const ir::MutableView& y) {
  if (x.bytes().data() == y.bytes().data()) return;
  parallel_for(static_cast<std::int64_t>(x.bytes().size()), 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(end - begin);
    ir::raw::copy_bytes(x.bytes().subspan(first, count), y.bytes().subspan(first, count));
  });
}

}  // namespace plumb::ref_cpu::kernels
