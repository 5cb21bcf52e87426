// Products of f64 with magnitudes or squares of packed weights, for limits: some rows of W at a time are decoded.
#include "ref_cpu/packed/panel_product.hpp"

#include <cmath>
#include <optional>

#include "ref_cpu/gemm/grouped_product.hpp"
#include "ref_cpu/packed/panels.hpp"

namespace plumb::ref_cpu::packed {
namespace {

using Part = PanelProduct::Part;

/// The weights of a node, read as limits take them for.
class Parts {
 public:
  Parts(const PanelProduct& op, const Call& call) : op_(op), rows_(op.packing, call, 1) {
    const std::size_t operands = 1u + (op.packing.has_scales ? 1 : 0) + (op.packing.has_zero_points ? 1 : 0);
    if (op.is_difference) less_.emplace(op.packing, call, 1 + operands);
  }

  std::int64_t length() const { return rows_.length(); }
  std::int64_t count() const { return rows_.count(); }

  /// Calls use(first, panel) for panels of `count` rows from row `begin` on, in parallel.
  template <class Use>
  void for_each_panel(std::int64_t begin, std::int64_t count, const Use& use) const {
    for_each_rows<double>(
        length(), begin, count, [this](std::int64_t row, double* w) { read(row, w); },
        [&](std::int64_t first, std::int64_t height, std::span<double> panel) {
          use(first, gemm::row_major<const double>(panel.data(), height, length()));
        });
  }

 private:
  void read(std::int64_t row, double* w) const {
    const std::int64_t k = length();
    rows_.read(row, w);
    round_weights(op_.weight_dtype, std::span(w, static_cast<std::size_t>(k)));
    if (less_) {
      ScratchRoom<double> less(static_cast<std::size_t>(k));
      less_->read(row, less.data());
      for (std::int64_t i = 0; i < k; ++i) w[i] -= less[static_cast<std::size_t>(i)];
    }
    if (op_.part == Part::magnitude) each(w, [](double x) { return std::fabs(x); });
    if (op_.part == Part::square) each(w, [](double x) { return x * x; });
    if (op_.part == Part::vanishing)
      each(w, [most = op_.normal](double x) { return std::fabs(x) < most ? std::fabs(x) : 0; });
  }

  template <class Function>
  void each(double* w, const Function& function) const {
    for (std::int64_t i = 0; i < length(); ++i) w[i] = function(w[i]);
  }

  const PanelProduct& op_;
  const Rows rows_;
  std::optional<Rows> less_;
};

}  // namespace

void run(const PanelProduct& op, Call& call) {
  const Parts weights(op, call);
  const std::int64_t k = weights.length();
  const double* const x = call.in(0).as<double>().data();
  double* const y = call.out(0).as<double>().data();
  if (!op.is_grouped) {
    const std::int64_t n = weights.count(), m = call.out(0).shape().elements() / n;
    const auto left = gemm::row_major<const double>(x, m, k);
    const auto target = gemm::row_major(y, m, n);
    return weights.for_each_panel(0, n, [&](std::int64_t first, const gemm::Matrix<const double>& panel) {
      gemm::multiply(left, panel.transposed(), target.block(0, first, m, panel.rows));
    });
  }
  const ir::Shape& codes = call.in(1).shape();
  const std::int64_t n = codes[1];
  gemm::GroupedProduct<double> product(x, k, call.inputs.back(), codes[0], n);
  product.for_each_expert([&](std::int64_t expert, const gemm::Matrix<const double>& rows, const auto& sums) {
    weights.for_each_panel(expert * n, n, [&](std::int64_t first, const gemm::Matrix<const double>& panel) {
      gemm::multiply(rows, panel.transposed(), sums.block(0, first, rows.rows, panel.rows));
    });
  });
  product.finish(nullptr, y);
}

}  // namespace plumb::ref_cpu::packed
