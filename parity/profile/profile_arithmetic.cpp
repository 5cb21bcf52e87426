#include "parity/profile/profile_arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::profile {

bounds::Arithmetic arithmetic_of(const Products& products) {
  bounds::Arithmetic found = bounds::safe_arithmetic(products.kernel);
  if (products.accumulator_bits == 0) return found;
  found.accumulator = std::ldexp(1.0, -products.accumulator_bits);
  // Of narrow operands error models take products for exact: a rounding of each is a second one of each sum.
  const bool is_narrow = products.operands != ir::DType::f32;
  if (is_narrow && products.exact_products == Known::no) found.accumulator *= 2;
  if (products.rounding == Rounding::unknown || !products.extra_bits || products.block == 0) return found;
  found.truncates = products.rounding == Rounding::truncating || *products.extra_bits < Products::every_bit;
  found.block = 1;
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

bounds::Arithmetic arithmetic_of(const DeviceProfile* profile, std::string_view kernel, const ir::Graph& segment) {
  if (profile != nullptr)
    for (const ir::Node& node : segment.nodes()) {
      if (node.inputs.empty()) continue;
      const Products products = profile->products_of(kernel, segment.type(node.inputs[0]).dtype);
      if (products.accumulator_bits > 0) return arithmetic_of(products);
    }
  return bounds::safe_arithmetic(kernel);
}

}  // namespace plumb::parity::profile
