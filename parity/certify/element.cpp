// One element of the truth as a sum of exact products in double-double.
#include "parity/certify/certify.hpp"
#include "parity/terms/terms.hpp"

namespace plumb::parity::certify {
namespace {

DoubleDouble divided(const DoubleDouble& x, double divisor) {
  const double quotient = x.high / divisor;
  return {quotient, (std::fma(-quotient, divisor, x.high) + x.low) / divisor};
}

}  // namespace

std::optional<DoubleDouble> element_of(const terms::Walker& walker, std::size_t index) {
  terms::ElementSum made;
  walker(static_cast<std::int64_t>(index), made);
  if (made.is_rounded) return std::nullopt;
  DoubleDouble sum;
  for (const terms::Product& term : made.terms) sum = sum + exact_product(term.a, term.b);
  if (made.scale != 1) sum = sum * made.scale;
  if (made.divisor != 1) sum = divided(sum, made.divisor);
  for (const terms::Product& behind : made.added) sum = sum + exact_product(behind.a, behind.b);
  return sum;
}

}  // namespace plumb::parity::certify
