#include "parity/attribution/special.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <variant>

#include "ir/op.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::parity::attribution {
namespace {

using cases::NonFinite;
using cases::Special;

/// How grave a class is beside others of the same output.
int gravity_of(Special special) {
  switch (special) {
    case Special::unknown:
    case Special::none:
      break;
    case Special::inherited:
      return 1;
    case Special::input:
      return 2;
    case Special::domain:
      return 3;
    case Special::overflow:
      return 4;
    case Special::fault:
      return 5;
  }
  return 0;
}

/// Calls `visit` with the place and the number, part by part of complex numbers; not for integers.
template <class Visit>
void each_number(const ir::TensorView& x, Visit visit) {
  std::uint64_t i = 0;
  if (ir::is_float(x.dtype()))
    ir::visit_float(x.dtype(), [&]<class T>(T) {
      for (const T& value : x.as<T>()) visit(i++, static_cast<double>(value));
    });
  if (ir::is_complex(x.dtype()))
    ir::visit_complex(x.dtype(), [&]<class T>(T) {
      for (const T& value : x.as<T>()) {
        visit(i, static_cast<double>(value.real()));
        visit(i++, static_cast<double>(value.imag()));
      }
    });
}

void look_at(double x, Kinds& kinds) {
  kinds.nan |= std::isnan(x);
  kinds.infinity |= std::isinf(x);
}

void look_at(const ir::TensorView& x, Kinds& kinds) {
  each_number(x, [&](std::uint64_t, double value) { look_at(value, kinds); });
}

OperandKinds kinds_of(const Computed& computed) {
  OperandKinds kinds;
  for (std::size_t i = 0; i < computed.fed.size(); ++i)
    look_at(computed.fed[i], computed.graph.is_source(computed.segment.fed[i]) ? kinds.of_case : kinds.computed);
  const ir::Graph& graph = computed.segment.graph;
  for (const ir::Node& node : graph.nodes()) {
    if (node.op.is<ir::ops::Constant>()) {
      look_at({graph.type(node.outputs[0]), node.op.as<ir::ops::Constant>().data}, kinds.of_case);
      continue;
    }
    for (const auto& [name, attribute] : node.op.attributes()) {
      if (const auto* const one = std::get_if<double>(&attribute)) look_at(*one, kinds.of_case);
      if (const auto* const many = std::get_if<std::vector<double>>(&attribute))
        for (const double x : *many) look_at(x, kinds.of_case);
    }
  }
  return kinds;
}

/// Whether all elements are finite, and their truths are by more than the limits of their dtype.
bool is_ordinary(const Computed& computed, const compare::Comparison& local) {
  const std::uint64_t others =
      local.n_nan_expected + local.n_nan_got + local.n_inf_expected + local.n_inf_got + local.n_apart;
  return others == 0 && local.expected_absmax < core::float_format(computed.got.dtype()).overflow();
}

/// Whether what is not finite in place of a finite truth is within the limits. Limits of lines and matrices say nothing
/// of one element.
bool excuses(const cases::Measured& measured) {
  if (!measured.units.are_elements()) return measured.local.agrees();
  return measured.local.n_nan_differ + measured.local.n_inf_differ == 0;
}

void add(SpecialElements& all, std::uint64_t element, Special special) {
  if (gravity_of(special) > gravity_of(all.special)) all = {.special = special, .first = element};
  if (special != all.special || (all.count > 0 && all.last == element)) return;
  all.last = element;
  ++all.count;
}

}  // namespace

Special special_of(double truth, double got, const core::FloatFormat& format, const OperandKinds& operands,
                   bool is_excused) {
  const bool is_other_kind = std::isnan(got) && !std::isnan(truth);
  if (!std::isfinite(truth) && !is_other_kind) {
    const NonFinite kind = std::isnan(truth) ? NonFinite::nan : NonFinite::infinity;
    if (operands.computed.has(kind)) return Special::inherited;
    return operands.of_case.has(kind) ? Special::input : Special::domain;
  }
  if (std::abs(truth) >= format.overflow() && !is_other_kind) return Special::overflow;
  if (std::isfinite(got)) return Special::none;
  if (!is_excused) return Special::fault;
  if (operands.computed.any()) return Special::inherited;
  return operands.of_case.any() ? Special::input : Special::overflow;
}

Specials specials_of(const Computed& computed, const cases::Measured& measured) {
  const ir::DType dtype = computed.got.dtype();
  const bool is_complex = ir::is_complex(dtype);
  if ((!ir::is_float(dtype) && !is_complex) || is_ordinary(computed, measured.local)) return {};
  const ir::DType wide = is_complex ? ir::DType::c128 : ir::DType::f64;
  ir::Tensor widened;
  ir::TensorView truths = computed.truth;
  if (truths.dtype() != wide) truths = widened = ir::convert(computed.truth, wide);
  const auto* truth = reinterpret_cast<const double*>(truths.bytes().data());
  const core::FloatFormat format = core::float_format(dtype);
  const bool is_excused = excuses(measured);
  std::optional<OperandKinds> operands;
  Specials found;
  each_number(computed.got, [&](std::uint64_t i, double got) {
    const double y = *truth++;
    if (std::isfinite(got) && std::abs(y) < format.overflow()) return;
    if (!operands) operands = kinds_of(computed);
    const Special special = special_of(y, got, format, *operands, is_excused);
    if (special != Special::none) add(found[std::isnan(y) || std::isnan(got) ? 0 : 1], i, special);
  });
  return found;
}

cases::SpecialClass class_of(const Specials& specials) {
  const auto& [nan, infinity] = specials;
  const int more = gravity_of(infinity.special) - gravity_of(nan.special);
  const SpecialElements& one = more > 0 || (more == 0 && infinity.first < nan.first) ? infinity : nan;
  return {one.special, one.first};
}

}  // namespace plumb::parity::attribution
