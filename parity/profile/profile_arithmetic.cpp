#include "parity/profile/profile_arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/attention.hpp"
#include "ir/ops/causal_conv.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::parity::profile {
namespace {

/// The worst of the sums on operands of this dtype; nothing where the profile does not know one of them.
std::optional<bounds::Arithmetic> measured_arithmetic(const DeviceProfile& profile, std::span<const ir::Sum> sums,
                                                      ir::DType operands) {
  const auto by_matrix = [](const ir::Sum& sum) { return sum.unit == ir::SumUnit::matrix; };
  const bool has_matrix = std::ranges::any_of(sums, by_matrix);
  std::optional<bounds::Arithmetic> worst;
  for (const ir::Sum& sum : sums) {
    if (has_matrix && !by_matrix(sum)) continue;
    const Products products = profile.products_of(sum, operands);
    if (products.accumulator_bits == 0) return std::nullopt;
    const bounds::Arithmetic one = arithmetic_of(products);
    if (!worst || one.accumulator > worst->accumulator) worst = one;
  }
  return worst;
}

/// Whether engines give an op to their matrix units.
bool is_for_matrix_units(const ir::Op& op) {
  namespace ops = ir::ops;
  return op.is<ops::Matmul>() || op.is<ops::Gemm>() || op.is<ops::DotGeneral>() || op.is<ops::Einsum>() ||
         op.is<ops::Conv>() || op.is<ops::ConvTranspose>() || op.is<ops::CausalConv>() || op.is<ops::Attention>();
}

}  // namespace

bounds::Arithmetic arithmetic_of(const Products& products) {
  const ir::Sum sum{.unit = products.unit, .accumulator = products.accumulator};
  bounds::Arithmetic found = bounds::safe_arithmetic({&sum, 1});
  found.sums.clear();
  if (products.accumulator_bits == 0) return found;
  found.accumulator = std::ldexp(1.0, -products.accumulator_bits);
  // Error models take products of narrow operands for exact: a rounding of each is a second one of each sum.
  const bool is_narrow = products.operands != ir::DType::f32;
  if (is_narrow && products.exact_products == Known::no) found.accumulator *= 2;
  if (products.rounding == Rounding::unknown || !products.extra_bits || products.block == 0) return found;
  found.truncates = products.rounding == Rounding::truncating || *products.extra_bits < Products::every_bit;
  found.block = 1;
  found.sum.reset();
  found.by_exponent = found.truncates;
  if (!found.truncates) return found;
  // A block loses up to one place of its sum and, of each term that is aligned, up to 2^-extra_bits places: on
  // average half of that.
  const auto block = static_cast<double>(products.block);
  const double of_term = std::ldexp(1.0, -*products.extra_bits);
  found.block = std::max<std::int64_t>(1, std::llround(std::floor(block / (1 + block * of_term / 2))));
  found.accumulator *= std::max(1.0, (1 + (block + 1) * of_term) / block);
  return found;
}

bounds::Arithmetic arithmetic_of(const DeviceProfile* profile, std::span<const ir::Sum> sums,
                                 const ir::Graph& segment) {
  const bounds::Arithmetic safe = bounds::safe_arithmetic(sums);
  if (profile == nullptr) return safe;
  for (const ir::Node& node : segment.nodes())
    if (!node.inputs.empty())
      if (auto found = measured_arithmetic(*profile, sums, segment.type(node.inputs[0]).dtype)) {
        found->sums = {sums.begin(), sums.end()};
        if (sums.size() == 1) found->sum = sums[0];
        return *found;
      }
  return safe;
}

bounds::Arithmetic unknown_arithmetic(const DeviceProfile* profile, const ir::Graph& segment,
                                      std::optional<ir::DType> stored) {
  bounds::Arithmetic found;
  for (const ir::Node& node : segment.nodes()) {
    if (node.inputs.empty() || !is_for_matrix_units(node.op)) continue;
    const ir::DType operands = stored.value_or(segment.type(node.inputs[0]).dtype);
    const Products unnamed =
        profile == nullptr ? Products{} : profile->products_of({.unit = ir::SumUnit::either}, operands);
    if (unnamed.accumulator_bits > 0) return arithmetic_of(unnamed);
    if (operands == ir::DType::f16 || operands == ir::DType::bf16) found.truncates = found.by_exponent = true;
  }
  return found;
}

bounds::Arithmetic arithmetic_of(const cases::Executors& executors, std::span<const ir::Sum> sums,
                                 const ir::Graph& segment, std::optional<ir::DType> operands) {
  const bool is_foreign = executors.foreign != nullptr;
  bounds::Arithmetic found = is_foreign && sums.empty() ? unknown_arithmetic(executors.profile, segment, operands)
                                                        : arithmetic_of(executors.profile, sums, segment);
  found.is_foreign = is_foreign;
  return found;
}

}  // namespace plumb::parity::profile
