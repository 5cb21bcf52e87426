#pragma once

#include <concepts>
#include <memory>
#include <span>

#include "ir/attribute.hpp"
#include "ir/tensor.hpp"

namespace plumb::ir {

using Types = std::span<const TensorType>;
using TensorTypes = std::vector<TensorType>;

/// One operand of an op. C0, checked before `infer` for every op: the number of
/// inputs, their dtypes, and that operands declared `like` another share its dtype.
struct Input {
  std::string_view name;
  DTypes dtypes;
  std::string_view shape;      ///< for people, as in ops.md 1.1: "[.., M, K]"
  std::string_view like = {};  ///< the input whose dtype it shares
  std::string_view when = {};  ///< the bool attribute that switches it on
  bool repeated = false;       ///< stands for one or more inputs, of one dtype without `like`; only the last may
};

/// One result, for people; `infer` decides how many there are.
struct Output {
  std::string_view name, type;
};

/// How closely a result must match (ops.md D).
enum class ErrorClass { bits, exact, rounded, ulp, dot, norm, resid, comp, discrete };

constexpr auto enum_names(ErrorClass) {
  return std::array<std::string_view, 9>{"bits", "exact", "rounded", "ulp", "dot", "norm", "resid", "comp", "discrete"};
}

/// The work of one node, for reports and plans.
struct Cost {
  double flops = 0;              ///< floating-point or integer operations; a multiply-add counts 2
  std::int64_t contraction = 0;  ///< terms summed per output element; 0 when nothing is summed
};

class Op;
struct Loops;

/// Everything the rest of the program knows about an op, derived from its
/// header in ir/ops by `schema<T>`.
struct OpSchema {
  std::string_view name, summary, formula;
  int tier;
  std::span<const Input> inputs;
  std::span<const Output> outputs;
  std::span<const std::string_view> checks;  ///< [i] is constraint C(i+1)
  std::vector<FieldInfo> (*fields)();
  bool makes_values;  ///< from attributes alone or integers, so that its dtype is its own business (ops.md 1.10, W4)
  TensorTypes (*infer)(const Op&, Types);
  ErrorClass (*error_class)(const Op&);
  Cost (*cost)(const Op&, Types in, Types out);
  Loops (*loops)(const Op&, Types in, Types out);  ///< ir/loops.hpp says what they are
  std::string_view (*function)(const Op&);
  bool (*saturates)(const Op&);
  std::vector<std::string_view> (*operands)(const Op&, std::size_t count);
  Attributes (*write)(const Op&);
  Op (*read)(const Attributes&);
  Op (*defaults)();
  bool (*equal)(const Op&, const Op&);
};

/// The interface of an op's struct in ir/ops. Equality is asked last: Op itself must
/// fail before it, or the question would contain itself.
template <class T>
concept OpDefinition = requires(const T& op, Types in) {
  { T::name } -> std::convertible_to<std::string_view>;
  { T::summary } -> std::convertible_to<std::string_view>;
  { T::formula } -> std::convertible_to<std::string_view>;
  { T::tier } -> std::convertible_to<int>;
  { op.infer(in) } -> std::same_as<TensorTypes>;
  { op.error_class() } -> std::same_as<ErrorClass>;
  T::inputs;
  T::outputs;
  T::checks;
  T::fields;
}
&&std::equality_comparable<T>;

/// The one schema of op type T. It is made where ir/schema.hpp is included and says so, once: nobody else has to
/// compile how each op that it names is read, written and checked.
template <OpDefinition T>
const OpSchema& schema();

/// An immutable op of any kind, with its attributes.
class Op {
 public:
  template <OpDefinition T>
  Op(T op) : schema_(&ir::schema<T>()), value_(std::make_shared<const T>(std::move(op))) {}

  const OpSchema& schema() const { return *schema_; }
  std::string_view name() const { return schema_->name; }
  ErrorClass error_class() const { return schema_->error_class(*this); }
  /// Which member of its family the op is, "gelu" of unary ops; its name where it is no family.
  std::string_view function() const { return schema_->function(*this); }
  /// Whether results lie in [-1, 1] and say no more of the operand where they touch an end.
  bool saturates() const { return schema_->saturates(*this); }
  Attributes attributes() const { return schema_->write(*this); }

  template <OpDefinition T>
  bool is() const {
    return schema_ == &ir::schema<T>();
  }
  template <OpDefinition T>
  const T& as() const {
    require(is<T>(), "op is ", name(), ", read as ", T::name);
    return *static_cast<const T*>(value_.get());
  }

  friend bool operator==(const Op& a, const Op& b) { return a.schema_ == b.schema_ && a.schema_->equal(a, b); }

 private:
  const OpSchema* schema_;
  std::shared_ptr<const void> value_;
};

/// Types of the results of an op on these operands: C0, then the op's own
/// checks, then that the results are types a graph may hold. Throws Error.
TensorTypes infer(const Op& op, Types in);

/// States constraint C`number` of the op being inferred: its text comes from
/// the op's `checks`, the details say what was found.
template <class T, class... Found>
void check(const T&, int number, bool holds, const Found&... found) {
  if (!holds) fail(T::checks.at(static_cast<std::size_t>(number - 1)), ": ", found..., " (C", number, ")");
}

}  // namespace plumb::ir
