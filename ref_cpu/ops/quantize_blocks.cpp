// Numbers as packed codes, block by block. Numbers of f64 are rounded to f32 first.
#include "ir/ops/quantize_blocks.hpp"

#include <array>
#include <cmath>

#include "ir/convert.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/packed/encode.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::QuantizeBlocks& op, Call& call) {
  const ir::kernels::packed::Layout block = ir::kernels::packed::layout(op.format);
  std::byte* const codes = call.out(0).bytes().data();
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const T* const x = call.in(0).as<T>().data();
    parallel_for(call.in(0).elements() / block.elements, 256, [&](std::int64_t at, std::int64_t end) {
      std::array<float, 32> numbers;
      for (; at < end; ++at) {
        for (std::int64_t e = 0; e < block.elements; ++e) {
          const auto number = ir::convert_value<float>(x[at * block.elements + e]);
          ir::require(std::isfinite(number), "x[", at * block.elements + e, "] is ", number,
                      ", which no code stands for");
          numbers[static_cast<std::size_t>(e)] = number;
        }
        packed::encode_block(op.format, numbers.data(), codes + at * block.bytes);
      }
    });
  });
}

}  // namespace plumb::ref_cpu
