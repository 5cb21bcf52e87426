#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/op.hpp"
#include "ir/sums.hpp"
#include "parity/bounds/expression_builder.hpp"

/// Error models of ops (ops.md D): how far a result may be from the truth, element by
/// element, from the arithmetic that made it and the data it was made of. A model is written as a
/// formula over the truth (expression_builder.hpp). parity/bounds has one file for every op whose error class
/// does not say everything by itself.
namespace plumb::parity::bounds {

/// How an executor adds up products.
struct Arithmetic {
  double accumulator = 0;  ///< unit roundoff of sums; 0 for that of the type that is computed in
  bool truncates = false;  ///< sums are cut off, not rounded to nearest
  std::int64_t block = 0;  ///< terms that are added at once, where sums are cut off; 0: unknown
  /// Terms are aligned by the exponents of their factors, which of a subnormal is that of the smallest normal number.
  bool by_exponent = false;
  /// The kernel is somebody else's, who may compute by another formula that is in common use.
  bool is_foreign = false;
  /// The weighted values of an attention are divided by the sum of the weights behind their sum.
  bool divides_last = false;
  /// The tree of the only sum that the kernel says it makes; nothing where there are several, or where none is known.
  std::optional<ir::Sum> sum = {};
  /// Standard deviations that limits allow for: one number for a whole run (verdict.md V52). 0: as many as a run asks
  /// for that has this output alone.
  double deviations = 0;
  /// All the sums that the kernel says it makes.
  std::vector<ir::Sum> sums = {};

  /// How the sum of this name (ir::Sum::of) is made: along its own tree, where that is known, else as one chain.
  Arithmetic of(ir::SumName name) const;

  /// The largest loss of each term where sums are cut off, in units of the roundoff at the larger of the sum so far and
  /// the terms; else 0. It is two units a block; for an unknown block three a term, which hold for every matrix unit
  /// that adds 2 to 32 terms at once and keeps no guard bits (verdict.md V26).
  double cut() const { return !truncates ? 0 : block > 0 ? 2.0 / static_cast<double>(block) : 3; }
};

/// How the candidate computes what is judged.
struct Manner {
  Arithmetic arithmetic = {};
  bool flushes_subnormals = false;  ///< it may give 0 for an f32 or f64 subnormal
};

/// A manner that allows for so few standard deviations that what is left of limits is what a fixed number of roundings
/// adds.
Manner without_chance(Manner manner);

/// Safe assumptions on a kernel by the sums that it reports (ir::NodeReport::sums). Sums of matrix units are cut off,
/// it is not known how often. Where a matrix unit sums in f16, they are cut off after every term. Everything else
/// rounds every addition to nearest.
Arithmetic safe_arithmetic(std::span<const ir::Sum> sums);

/// Limits of an error, element by element: one that chance exceeds as rarely as the run's budget of false alarms says
/// (verdict.md V52), one that nothing but a defect exceeds.
struct Bound {
  Real probable, certain;
};

Bound both(Real x);
Bound operator+(Bound a, Bound b);
Bound operator*(Real factor, Bound b);
Bound operator*(double factor, Bound b);
Bound operator/(Bound a, Real divisor);
Bound min(Bound a, Bound b);
Bound max(Bound a, Bound b);
Bound sqrt(Bound x);
Bound square(Bound x);

/// One output of a node whose error is asked for.
struct Node {
  ExpressionBuilder& builder;
  const ir::Op& op;           ///< in reference precision
  std::vector<Real> in, out;  ///< the truth's values
  std::size_t output = 0;
  ir::TensorTypes in_types, out_types;  ///< the candidate's
  Arithmetic arithmetic = {};
  bool flushes_subnormals = false;

  Real y() const { return out.at(output); }
  const ir::TensorType& type() const { return out_types.at(output); }
  /// The unit roundoff of what is computed in, and of sums.
  double unit() const;
  double accumulator() const { return arithmetic.accumulator > 0 ? arithmetic.accumulator : unit(); }
  /// Smallest magnitude the alignment exponent assumes for operand i; zeros are exempt.
  double least(std::size_t i) const;
  /// The spacing of subnormal numbers of the type that is computed in, and what numbers may be 0 instead that are
  /// smaller; 0 where they are kept.
  double spacing() const;
  double flushed() const;
  /// How many standard deviations are allowed for.
  double lambda() const;
  /// This node, as far as its sum of this name goes.
  Node with_sum(ir::SumName name) const {
    Node part = *this;
    part.arithmetic = arithmetic.of(name);
    return part;
  }
  /// The op itself on other operands.
  Real apply(const std::vector<Real>& operands) const { return builder.apply(op, operands, output); }
};

/// The error of each operand; nothing of those that are exact.
using Errors = std::vector<std::optional<Real>>;

/// Axes of a result, from `first` to `last`, along which its elements share a scale.
struct LineAxes {
  std::int64_t first = 0, last = -1;
};

/// The errors of one op: its own, and those that its operands carry in.
struct Model {
  /// In ulps of the type that is computed in, at the truth, for every element, and of complex ones for either part.
  double ulps = 0;
  double complex_units = 0;  ///< instead, for complex results: units of their dtype at the modulus, for either part
  /// The error of evaluating the op on exact operands, in addition to `ulps`.
  std::function<Bound(const Node&)> rounding = {};
  /// The error of the output that errors of the operands cause, to first order.
  std::function<Real(const Node&, const Errors& errors)> carried = {};
  std::optional<LineAxes> line = {};  ///< in the first output; none where neighbours are alike
  /// Whether the truth of an op that rounds once, rounded to the dtype of its operands, is the exact result rounded,
  /// ties included. It also takes `lost`, the exact result minus the truth; an empty one says that two roundings equal
  /// one (Figueroa, "When is double rounding innocuous?", 1995).
  bool decides_ties = false;
  std::function<Real(const Node&)> lost = {};
  /// Whether the first output is all that is computed, and the others are elements of operands, bit by bit.
  bool others_are_moved = false;
};

/// No error model covers an op, attributes of it, or a path through a fused kernel (verdict.md V7). That is a gap of
/// the harness, no fault of the candidate.
struct NoModel : ir::Unsupported {
  template <class... Parts>
  explicit NoModel(const Parts&... what) : Unsupported(ir::cat("no model of ", what...)) {}
};

/// The model of an op; of ops that move or select data one that is derived. Throws NoModel
/// for an op of another class that has none.
Model error_model(const ir::Op& op);

/// Which axes of its first output an op with a file in parity/bounds says to share a scale.
std::optional<LineAxes> line_axes(const ir::Op& op);

/// Whether an op of this class needs no file in parity/bounds.
bool is_modelled_by_class(ir::ErrorClass error_class);

/// The ops that have a file in parity/bounds.
std::vector<const ir::OpSchema*> modelled_ops();

}  // namespace plumb::parity::bounds
