// Dot-general as the contraction of two labelled tensors.
#include "ir/ops/dot_general.hpp"

#include <algorithm>

#include "ref_cpu/gemm/contract.hpp"
#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::DotGeneral& op, Call& call) {
  const auto& product = call.kept([&] {
    const auto axes = op.labelling(call.in(0).shape(), call.in(1).shape());
    const auto term = [&](std::size_t i, const ir::kernels::Labelled& of) {
      return gemm::Term{call.in(i).dtype(), call.in(i).elements(), of};
    };
    return gemm::LabelProduct(term(0, axes.a), term(1, axes.b), axes.y);
  });
  product.run(call.in(0), call.in(1), call.out(0));
}

/// The axes are summed in a's order, which the lists may have otherwise.
std::vector<ir::Sum> published_sums(const ir::ops::DotGeneral& op, ir::Types in) {
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : op.a_contract) axes.push_back(in[0].shape.axis(axis));
  if (!adds_in_f32(in[0].dtype) || !std::ranges::is_sorted(axes)) return {};
  return {gemm::sum_of_floats()};
}

}  // namespace plumb::ref_cpu
