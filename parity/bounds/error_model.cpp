// Error models found by op, the arithmetic that they assume of a kernel, and the algebra of limits.
#include "parity/bounds/error_model.hpp"

#include <algorithm>
#include <cmath>

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/op_table.hpp"
#include "parity/compare/false_alarms.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

using MakeModel = Model (*)(const ir::Op&);

const ir::OpTable<MakeModel>& table() {
  static const auto all = Ops::table<MakeModel>(
      []<class T>() -> MakeModel { return [](const ir::Op& op) { return error_model(op.as<T>()); }; });
  return all;
}

bool same(Bound b) { return b.probable.value == b.certain.value; }

/// Applies f to both limits, once where they are one.
template <class F>
Bound each(F f, Bound a) {
  const Real probable = f(a.probable);
  return {probable, same(a) ? probable : f(a.certain)};
}

template <class F>
Bound each(F f, Bound a, Bound b) {
  const Real probable = f(a.probable, b.probable);
  return {probable, same(a) && same(b) ? probable : f(a.certain, b.certain)};
}

}  // namespace

Manner without_chance(Manner manner) {
  manner.arithmetic.deviations = 0x1p-40;  // not 0, by which models would divide
  return manner;
}

Arithmetic safe_arithmetic(std::span<const ir::Sum> sums) {
  const auto by_matrix = [](const ir::Sum& sum) { return sum.unit == ir::SumUnit::matrix; };
  const auto in_f16 = [&](const ir::Sum& sum) { return by_matrix(sum) && sum.accumulator == ir::DType::f16; };
  const auto divides = [](const ir::Sum& sum) {
    return sum.of == ir::SumName::values && std::ranges::count(sum.epilogue, ir::SumStep::division) > 0;
  };
  Arithmetic safe{.divides_last = std::ranges::any_of(sums, divides), .sums = {sums.begin(), sums.end()}};
  if (std::ranges::none_of(sums, by_matrix)) {
    if (sums.size() == 1) safe.sum = sums[0];
    return safe;
  }
  safe.truncates = safe.by_exponent = true;
  // Products that are no numbers of the accumulator's either are rounded once more.
  if (std::ranges::any_of(sums, in_f16)) {
    safe.accumulator = 0x1p-10;
    safe.block = 1;
  }
  return safe;
}

Arithmetic Arithmetic::of(ir::SumName name) const {
  Arithmetic part = *this;
  part.sum.reset();
  part.sums.clear();
  const auto found = std::ranges::find(sums, name, &ir::Sum::of);
  if (found == sums.end() || found->unit == ir::SumUnit::matrix) return part;
  if (truncates) part = {.divides_last = divides_last, .deviations = deviations};  // a matrix unit makes another sum
  part.sum = *found;
  return part;
}

Bound both(Real x) { return {x, x}; }
Bound operator+(Bound a, Bound b) {
  return each([](Real x, Real y) { return x + y; }, a, b);
}
Bound operator*(Real factor, Bound b) {
  return each([=](Real x) { return factor * x; }, b);
}
Bound operator*(double factor, Bound b) {
  return each([=](Real x) { return factor * x; }, b);
}
Bound operator/(Bound a, Real divisor) {
  return each([=](Real x) { return x / divisor; }, a);
}
Bound min(Bound a, Bound b) {
  return each([](Real x, Real y) { return min(x, y); }, a, b);
}
Bound max(Bound a, Bound b) {
  return each([](Real x, Real y) { return max(x, y); }, a, b);
}
Bound sqrt(Bound x) {
  return each([](Real e) { return sqrt(e); }, x);
}
Bound square(Bound x) {
  return each([](Real e) { return square(e); }, x);
}

double Node::unit() const { return ir::unit_roundoff(core::compute_dtype(type().dtype)); }

double Node::spacing() const { return core::float_format(core::compute_dtype(type().dtype)).ulp(0); }

double Node::flushed() const {
  return flushes_subnormals ? core::float_format(core::compute_dtype(type().dtype)).smallest_normal() : 0;
}

double Node::least(std::size_t i) const {
  const ir::DType dtype = in_types.at(i).dtype;
  return arithmetic.by_exponent && ir::is_float(dtype) ? core::float_format(dtype).smallest_normal() : 0;
}

double Node::lambda() const {
  if (arithmetic.deviations > 0) return arithmetic.deviations;
  return compare::FalseAlarms{.n_limits = static_cast<std::uint64_t>(type().shape.elements())}.lambda();
}

bool is_modelled_by_class(ir::ErrorClass error_class) {
  return error_class == ir::ErrorClass::bits || error_class == ir::ErrorClass::exact ||
         error_class == ir::ErrorClass::rounded;
}

Model error_model(const ir::Op& op) {
  if (const auto found = table().find(&op.schema()); found != table().end()) return found->second(op);
  if (!is_modelled_by_class(op.error_class())) throw NoModel("'", op.name(), "'");
  return {.carried = moved};
}

std::optional<LineAxes> line_axes(const ir::Op& op) {
  const auto found = table().find(&op.schema());
  return found == table().end() ? std::nullopt : found->second(op).line;
}

std::vector<const ir::OpSchema*> modelled_ops() { return Ops::schemas(); }

}  // namespace plumb::parity::bounds
