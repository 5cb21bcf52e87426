// Products with packed weights: some rows of W at a time are decoded, and multiplied with all rows of x.
#include "ir/ops/dequant_matmul.hpp"

#include <algorithm>

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/packed/rows.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::WeightDtype;

/// Weights that are decoded at once, by each thread.
constexpr std::int64_t weights_at_once = std::int64_t{1} << 18;

void round_weights(WeightDtype to, std::span<float> weights) {
  if (to == WeightDtype::f16)
    for (float& w : weights) w = static_cast<float>(ir::f16(w));
  if (to == WeightDtype::bf16)
    for (float& w : weights) w = static_cast<float>(ir::bf16(w));
}

/// Rows of W from `first` on, in C; `weights` is where they are decoded.
template <class C>
gemm::Matrix<const C> decoded(const packed::Rows& rows, WeightDtype to, std::int64_t first, std::int64_t count,
                              ScratchRoom<float>& weights, ScratchRoom<C>& wide) {
  weights.resize(static_cast<std::size_t>(count * rows.length()));
  for (std::int64_t i = 0; i < count; ++i) rows.read_weights(first + i, weights.data() + i * rows.length());
  round_weights(to, weights);
  if constexpr (std::is_same_v<C, float>) {
    return gemm::row_major<const float>(weights.data(), count, rows.length());
  } else {
    wide.assign(weights.begin(), weights.end());
    return gemm::row_major<const C>(wide.data(), count, rows.length());
  }
}

template <class T, class Out>
void multiply_panels(const ir::ops::DequantMatmul& op, Call& call) {
  using C = ir::compute_t<T>;
  const packed::Rows rows(op.packing(), call, 1);
  const std::int64_t k = rows.length(), n = rows.count(), m = call.out(0).shape().elements() / n;
  const kernels::Computed<T> x(call.in(0));
  const auto left = gemm::row_major<const C>(x.data(), m, k);
  const auto y = gemm::row_major(call.out(0).as<Out>().data(), m, n);
  const T* const bias = op.has_bias ? call.inputs.back().as<T>().data() : nullptr;
  parallel_for(
      n, std::clamp<std::int64_t>(weights_at_once / (k + 1), 1, 64), [&](std::int64_t first, std::int64_t end) {
        ScratchRoom<float> weights;
        ScratchRoom<C> wide;
        const auto right = decoded<C>(rows, op.weight_dtype, first, end - first, weights, wide).transposed();
        gemm::multiply(left, right, y.block(0, first, m, end - first), [&](C sum, std::int64_t, std::int64_t column) {
          return bias == nullptr ? sum : sum + static_cast<C>(bias[first + column]);
        });
      });
}

}  // namespace

void run(const ir::ops::DequantMatmul& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    if (call.out(0).dtype() == call.in(0).dtype()) return multiply_panels<T, T>(op, call);
    multiply_panels<T, ir::compute_t<T>>(op, call);  // sums that stay unrounded
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::DequantMatmul& op, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  ir::Sum sum = gemm::sum_of_floats();
  if (op.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  return {sum};
}

}  // namespace plumb::ref_cpu
