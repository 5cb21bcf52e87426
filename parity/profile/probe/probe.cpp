#include "parity/profile/probe/probe.hpp"

#include <algorithm>

#include "parity/profile/probe/elementwise.hpp"
#include "parity/profile/probe/functions.hpp"
#include "parity/profile/probe/products.hpp"

namespace plumb::parity::profile::probe {
namespace {

/// Matrices for the tiles, and those of one row or one column, which have kernels of their own; each for wide accesses
/// and for narrow ones.
constexpr std::array shapes = {ProductShape{16, 16}, ProductShape{16, 16, true}, ProductShape{1, 8},
                               ProductShape{8, 1},   ProductShape{1, 5, true},   ProductShape{5, 1, true}};

constexpr std::array product_dtypes = {ir::DType::f16, ir::DType::bf16, ir::DType::f32},
                     function_dtypes = product_dtypes;
constexpr std::array real_dtypes = {ir::DType::f16, ir::DType::bf16, ir::DType::f32, ir::DType::f64};

/// All that probe() tries, by a device that can run it or not.
std::size_t count_steps() {
  std::size_t steps = product_dtypes.size() * shapes.size() + real_dtypes.size();
  for (const ir::DType dtype : function_dtypes)
    for (std::size_t i = 0; i < enum_names(ir::ops::UnaryFunction{}).size(); ++i)
      steps += ir::ops::dtypes_of(static_cast<ir::ops::UnaryFunction>(i)).contains(dtype) ? 1 : 0;
  return steps;
}

/// The properties that two kernels show of one unit; unknown where they differ. A kernel whose order of addition was
/// not found shows nothing.
Products merged(Products one, const Products& other) {
  if (other.accumulator_bits == 0) return one;
  if (one.accumulator_bits == 0) return other;
  if (one.operand_bits != other.operand_bits) one.operand_bits = 0;
  if (one.exact_products != other.exact_products) one.exact_products = Known::unknown;
  if (one.accumulator_bits != other.accumulator_bits) one.accumulator_bits = 0;
  if (one.extra_bits != other.extra_bits) one.extra_bits = {};
  if (one.normalized != other.normalized) one.normalized = Known::unknown;
  if (one.rounding != other.rounding) one.rounding = Rounding::unknown;
  if (one.block != other.block || one.group != other.group) one.block = 0;
  if (one.subnormals != other.subnormals) one.subnormals = Subnormals::unknown;
  return one;
}

void add(std::vector<Products>& all, const Products& found) {
  for (Products& one : all)
    if (one.unit == found.unit && one.operands == found.operands && one.accumulator == found.accumulator) {
      one = merged(one, found);
      return;
    }
  all.push_back(found);
}

}  // namespace

DeviceProfile probe(ir::Executor& executor, ir::Executor& reference, const Device& device,
                    const ProbeOptions& options) {
  DeviceProfile profile{.name = device.name, .driver = device.driver_name, .uuid = device.uuid};
  if (!device.driver_info.empty()) profile.driver += ' ' + device.driver_info;
  std::size_t done = 0;
  const std::size_t steps = count_steps();
  const auto step = [&](const std::string& what) { options.step(what, done++, steps); };
  for (const ir::DType dtype : product_dtypes)
    for (const ProductShape shape : shapes) {
      step(ir::cat("products of ", dtype));
      if (const auto found = probe_products(executor, options.is_host, dtype, shape)) add(profile.products, *found);
    }
  for (const ir::DType dtype : real_dtypes) {
    step(ir::cat("subnormals and fma of ", dtype));
    if (const auto found = probe_subnormals(executor, options.is_host, dtype)) profile.subnormals.push_back(*found);
    if (const auto found = probe_fma(executor, options.is_host, dtype)) profile.fma.push_back(*found);
  }
  for (const ir::DType dtype : function_dtypes) {
    const auto operands = function_operands(dtype);
    const auto names = enum_names(ir::ops::UnaryFunction{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto function = static_cast<ir::ops::UnaryFunction>(i);
      if (!ir::ops::dtypes_of(function).contains(dtype)) continue;
      step(ir::cat(names[i], " of ", dtype));
      const auto found =
          probe_function(executor, options.is_host, reference, function, profile.subnormals_of(dtype), operands);
      if (found) profile.functions.push_back(*found);
    }
  }
  return profile;
}

}  // namespace plumb::parity::profile::probe
