// Predicates of floats.
#include "ir/ops/classify.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Classify& op, const Call& call) {
  using F = ir::ops::FloatClass;
  const long double x = call.number(0, call.at()).re.value;
  const auto answer = [&] {
    switch (op.function) {
      case F::is_nan:
        return std::isnan(x);
      case F::is_inf:
        return std::isinf(x);
      case F::is_positive_inf:
        return std::isinf(x) && x > 0;
      case F::is_negative_inf:
        return std::isinf(x) && x < 0;
      case F::is_finite:
        return std::isfinite(x);
    }
    throw NoAnswer{};
  };
  return {Real(answer() ? 1 : 0)};
}

}  // namespace plumb::parity::element
