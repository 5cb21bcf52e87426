#include "parity/profile/probe/probe.hpp"

#include <algorithm>
#include <map>

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

/// All that probe() asks.
class Inquiries {
 public:
  Inquiries(bool is_host, const std::vector<ProductPlace>& places) {
    for (const ProductPlace& place : places) {
      trees_.push_back(inquire_tree(place));
      add(ir::cat("order of ", place.op.name(), " of ", place.operands[0]), *trees_.back());
    }
    for (const ir::DType dtype : product_dtypes)
      for (const ProductShape shape : shapes) {
        products_.push_back(inquire_products(is_host, dtype, shape));
        add(ir::cat("products of ", dtype), *products_.back());
      }
    for (const ir::DType dtype : real_dtypes) {
      subnormals_.push_back(inquire_subnormals(is_host, dtype));
      fma_.push_back(inquire_fma(is_host, dtype));
      add(ir::cat("subnormals and fma of ", dtype), *subnormals_.back(), fma_.back().get());
    }
    for (const ir::DType dtype : function_dtypes) {
      const std::vector<double>& operands = operands_.emplace(dtype, function_operands(dtype)).first->second;
      const auto names = enum_names(ir::ops::UnaryFunction{});
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto function = static_cast<ir::ops::UnaryFunction>(i);
        if (!ir::ops::dtypes_of(function).contains(dtype)) continue;
        functions_.push_back({function, dtype, inquire_function(is_host, function, dtype, operands)});
        add(ir::cat(names[i], " of ", dtype), *functions_.back().inquiry);
      }
    }
  }

  /// Asks all, and gives the findings to a profile as they come.
  void settle_all(const core::RunTrials& run, ir::Executor& reference, const ProbeOptions& options,
                  DeviceProfile& profile) {
    if (options.at_once) settle(inquiries_, run);
    std::size_t done = 0;
    for (const Step& step : steps_) {
      options.step(step.what, done++, steps_.size());
      if (!options.at_once) settle(std::span(inquiries_).subspan(step.first, step.count), run);
    }
    for (const auto& one : products_)
      if (const auto found = one->found()) probe::add(profile.products, *found);
    for (const auto& one : trees_)
      if (const auto found = one->found()) profile.sums.push_back(*found);
    for (const auto& one : subnormals_)
      if (const auto found = one->found()) profile.subnormals.push_back(*found);
    for (const auto& one : fma_)
      if (const auto found = one->found()) profile.fma.push_back(*found);
    for (const Function& one : functions_)
      if (const auto computed = one.inquiry->found())
        profile.functions.push_back(function_error(*computed, reference, one.function, profile.subnormals_of(one.dtype),
                                                   operands_.at(one.dtype)));
  }

 private:
  struct Step {
    std::string what;
    std::size_t first, count;
  };
  struct Function {
    ir::ops::UnaryFunction function;
    ir::DType dtype;
    std::unique_ptr<Finding<ir::Tensor>> inquiry;
  };

  void add(std::string what, Inquiry& one, Inquiry* other = nullptr) {
    steps_.push_back({std::move(what), inquiries_.size(), other == nullptr ? 1u : 2u});
    inquiries_.push_back(&one);
    if (other != nullptr) inquiries_.push_back(other);
  }

  std::vector<std::unique_ptr<Finding<Products>>> products_;
  std::vector<std::unique_ptr<Finding<MeasuredSum>>> trees_;
  std::vector<std::unique_ptr<Finding<SubnormalHandling>>> subnormals_;
  std::vector<std::unique_ptr<Finding<FmaHandling>>> fma_;
  std::map<ir::DType, std::vector<double>> operands_;
  std::vector<Function> functions_;
  std::vector<Inquiry*> inquiries_;
  std::vector<Step> steps_;
};

}  // namespace

DeviceProfile probe(const core::RunTrials& run, ir::Executor& reference, const Device& device,
                    const ProbeOptions& options) {
  DeviceProfile profile{.name = device.name, .driver = device.driver_name, .uuid = device.uuid};
  if (!device.driver_info.empty()) profile.driver += ' ' + device.driver_info;
  Inquiries(options.is_host, options.places).settle_all(run, reference, options, profile);
  return profile;
}

DeviceProfile probe(ir::Executor& executor, ir::Executor& reference, const Device& device,
                    const ProbeOptions& options) {
  return probe(core::one_by_one(executor), reference, device, options);
}

}  // namespace plumb::parity::profile::probe
