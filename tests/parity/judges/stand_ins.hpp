#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parity/cases/node_result.hpp"
#include "parity/judges/question.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/kernel.hpp"

/// Ops that only tests have, in place of those whose judges they prove: what a judge needs is an op with a kernel for
/// its truth, and honest and faulty results in f32.
namespace plumb::testing {

/// The declarations that all stand-in ops share.
struct StandIn {
  static constexpr auto summary = "a stand-in", formula = "";
  static constexpr int tier = 3;
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};
  bool operator==(const StandIn&) const = default;
};

/// A stand-in with its kernel and its judge.
struct Taught {
  ir::Op op;
  ref_cpu::ErasedKernel kernel;
  parity::judges::Judge judge;
};

/// The verdicts on these outputs of an op on these operands, output by output; `lambda`: by limits that allow for so
/// many standard deviations, 0: for as many as these outputs ask for.
std::vector<parity::cases::NodeResult> judged(const Taught& taught, const std::vector<ir::Tensor>& inputs,
                                              const std::vector<ir::Tensor>& outputs, double lambda = 0);
/// Expects outputs that are right to be as many standard deviations off by whatever λ their limits are made.
void expect_deviations_without_lambda(const Taught& taught, const std::vector<ir::Tensor>& inputs,
                                      const std::vector<ir::Tensor>& outputs);

/// The kernel's result in f64, rounded to the dtypes of the op.
std::vector<ir::Tensor> rounded_truth(const Taught& taught, const std::vector<ir::Tensor>& inputs);

/// "" where all outputs agree, else what is wrong of the first that does not.
std::string finding(const std::vector<parity::cases::NodeResult>& results);
/// The largest ratio of all outputs.
double largest_ratio(const std::vector<parity::cases::NodeResult>& results);

/// Numbers that are hard on sums, by kind; the first is ordinary. Always the same for a seed.
inline constexpr std::array number_kinds = {"normal", "risen_fallen", "alternating", "constant", "outlier", "scaled"};
std::vector<double> hard_numbers(std::string_view kind, std::size_t count, unsigned seed);

/// Orders in which kernels add: one term after the other, or in blocks that are joined in a chain.
enum class Order { in_order, blocked };
inline constexpr std::array orders = {Order::in_order, Order::blocked};

/// Σ a_k b_k of `count` terms, in R.
template <class R, class A, class B>
R dot(std::size_t count, Order order, const A& a, const B& b) {
  const std::size_t block = order == Order::in_order ? std::max<std::size_t>(count, 1) : 4;
  R total = 0;
  for (std::size_t first = 0; first < count; first += block) {
    R part = 0;
    for (std::size_t k = first; k < std::min(count, first + block); ++k) part += a(k) * b(k);
    total = order == Order::in_order ? part : total + part;
  }
  return total;
}

ir::Tensor floats(const ir::Shape& shape, const std::vector<double>& numbers);
template <class R>
std::vector<R> values_of(const ir::TensorView& x) {
  const ir::Tensor wide = ir::convert(x, ir::dtype_of<R>);
  return {wide.as<R>().begin(), wide.as<R>().end()};
}
/// Writes numbers of any type into an output.
template <class R>
void write(const std::vector<R>& numbers, const ir::MutableView& to) {
  const ir::Tensor made = ir::convert(ir::Tensor::of<R>(to.shape(), numbers), to.dtype());
  std::ranges::copy(made.bytes(), to.bytes().begin());
}

}  // namespace plumb::testing
