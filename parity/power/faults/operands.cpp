// The right computation on wrong operands.

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/ops/binary.hpp"
#include "parity/core/float_format.hpp"
#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/slices.hpp"

namespace plumb::parity::power::faults {
namespace {

std::optional<Numbers> tf32_inputs(const Site& site) {
  if (site.type.dtype != ir::DType::f32) return {};
  return round_operands(site, ir::DType::f32, [](double x) {  // 10 bits of fraction, cut off as matrix units do
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    return static_cast<double>(std::bit_cast<float>(bits & 0xFFFFE000u));
  });
}

std::optional<Numbers> bf16_inputs(const Site& site) {
  if (site.type.dtype == ir::DType::bf16) return {};
  return round_operands(site, ir::DType::f32 | ir::DType::f16,
                        [](double x) { return static_cast<double>(ir::bf16(x)); });
}

/// A producer whose 16-bit result was used before it was rounded: what was there is anywhere within half an ulp.
std::optional<Numbers> skipped_rounding(const Site& site) {
  auto inputs = site.inputs();
  bool any = false;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const ir::DType dtype = inputs[k].dtype();
    if (site.operands[k].origin != Origin::computed || (dtype != ir::DType::f16 && dtype != ir::DType::bf16)) continue;
    Numbers numbers = numbers_of(inputs[k]);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double share = static_cast<double>(i * 2654435761u % 1024) / 1024 - 0.5;
      if (std::isfinite(numbers[i])) numbers[i] += share * core::float_format(dtype).ulp(numbers[i]);
    }
    inputs[k] = tensor_of({ir::DType::f64, inputs[k].shape()}, numbers);
    any = true;
  }
  if (!any) return {};
  return site.on(inputs);
}

std::optional<Numbers> swapped_operands(const Site& site) {
  auto inputs = site.inputs();
  for (std::size_t k = 0; k + 1 < inputs.size(); ++k) {
    if (inputs[k].type() != inputs[k + 1].type()) continue;
    std::swap(inputs[k], inputs[k + 1]);
    return site.on(inputs);
  }
  return {};
}

/// A square operand of a product read by columns.
std::optional<Numbers> transposed_operand(const Site& site) {
  if (!multiplies(site)) return {};
  auto inputs = site.inputs();
  for (std::size_t k = inputs.size(); k-- > 0;) {
    const ir::Shape& shape = inputs[k].shape();
    if (shape.size() < 2 || shape.back() != shape[shape.size() - 2] || !ir::is_float(inputs[k].dtype())) continue;
    const Numbers numbers = numbers_of(inputs[k]);
    Numbers turned = numbers;
    const auto n = static_cast<std::size_t>(shape.back());
    for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = numbers[i / (n * n) * n * n + i % n * n + i / n % n];
    inputs[k] = tensor_of(inputs[k].type(), turned);
    return site.on(inputs);
  }
  return {};
}

/// Every index is the next one, the last stays. Rows without an expert (−1) get the first.
std::optional<Numbers> index_off_by_one(const Site& site) {
  auto indices = site.operand("indices");
  if (!indices) indices = site.operand("expert");
  if (!indices) return {};
  auto inputs = site.inputs();
  Numbers numbers = numbers_of(inputs[*indices]);
  const double last = numbers.empty() ? 0 : *std::ranges::max_element(numbers);
  for (double& index : numbers) index = std::min(index + 1, last);
  inputs[*indices] = tensor_of(inputs[*indices].type(), numbers);
  return site.on(inputs);
}

std::optional<Numbers> replaced(const Site& site, std::optional<std::size_t> operand, double value) {
  if (!operand) return {};
  auto inputs = site.inputs();
  const Numbers numbers(static_cast<std::size_t>(inputs[*operand].elements()), value);
  inputs[*operand] = tensor_of(inputs[*operand].type(), numbers);
  return site.on(inputs);
}

/// A bias is an operand of that name, and what is added along the rows of something larger.
std::optional<Numbers> missing_bias(const Site& site) {
  for (const std::string_view name : {"bias", "c"})
    if (const auto operand = site.operand(name)) return replaced(site, operand, 0);
  const auto* op = site.as<ir::ops::Binary>();
  if (op == nullptr || op->function != ir::ops::BinaryFunction::add || site.operands.size() != 2) return {};
  const auto size = [&](std::size_t k) { return site.operands[k].now.elements(); };
  if (size(0) == size(1)) return {};
  return replaced(site, size(0) < size(1) ? 0 : 1, 0);
}

std::optional<Numbers> missing_scale(const Site& site) { return replaced(site, site.operand("scale"), 1); }

/// A mask that ends one key late.
std::optional<Numbers> mask_edge(const Site& site) {
  const auto mask = site.operand("mask");
  if (!mask || site.operands[*mask].now.shape().empty()) return {};
  auto inputs = site.inputs();
  const auto width = static_cast<std::size_t>(inputs[*mask].shape().back());
  const Numbers right = numbers_of(inputs[*mask]);
  Numbers late = right;
  for (std::size_t i = 0; i < late.size(); ++i)
    if (i % width != 0) late[i] = right[i - 1];
  inputs[*mask] = tensor_of(inputs[*mask].type(), late);
  return site.on(inputs);
}

/// Subnormal operands read as 0 by a device that promises to keep them.
std::optional<Numbers> operands_flushed(const Site& site) {
  if (site.flushes_subnormals) return {};
  auto inputs = site.inputs();
  bool any = false;
  for (ir::Tensor& input : inputs) {
    if (!ir::is_float(input.dtype())) continue;
    const double least = core::float_format(input.dtype()).smallest_normal();
    Numbers numbers = numbers_of(input);
    for (double& x : numbers)
      if (x != 0 && std::abs(x) < least) {
        x = 0;
        any = true;
      }
    input = tensor_of(input.type(), numbers);
  }
  if (!any) return {};
  return site.on(inputs);
}

constexpr Fault of_operands[] = {
    {"tf32_inputs", "operands keep 10 bits of their fraction", "products, convolutions, attention in f32", true,
     tf32_inputs},
    {"bf16_inputs", "operands are rounded to bf16", "products, convolutions, attention in f32, f16", true, bf16_inputs},
    {"skipped_rounding", "a computed operand was not rounded to its dtype", "f16, bf16", false, skipped_rounding},
    {"swapped_operands", "two operands of one type change places", "any", true, swapped_operands},
    {"transposed_operand", "a square operand is read by columns", "products", true, transposed_operand},
    {"index_off_by_one", "every index is one too large", "gather, scatter, products of experts", true,
     index_off_by_one},
    {"missing_bias", "the bias is 0", "any with a bias; binary add of a smaller operand", true, missing_bias},
    {"missing_scale", "the scale is 1", "any with a scale", true, missing_scale},
    {"operands_flushed", "0 for every subnormal operand, on a device that promises to keep them",
     "floats with subnormal operands", true, operands_flushed},
    {"mask_edge", "the mask lies one key late", "attention with a mask", true, mask_edge},
};

}  // namespace

std::span<const Fault> faults_of_operands() { return of_operands; }

}  // namespace plumb::parity::power::faults
