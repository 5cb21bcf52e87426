// One element of the truth as a sum of exact products in double-double.
#include "parity/certify/certify.hpp"
#include "parity/terms/terms.hpp"

namespace plumb::parity::certify {

std::optional<sums::DoubleDouble> element_of(const terms::Walker& walker, std::size_t index) {
  terms::ElementSum made;
  walker(static_cast<std::int64_t>(index), made);
  if (made.is_rounded) return std::nullopt;
  sums::DoubleDouble sum;
  for (const terms::Product& term : made.terms) sum = sum + sums::exact_product(term.a, term.b);
  if (made.scale != 1) sum = sum * made.scale;
  if (made.divisor != 1) sum = sum / made.divisor;
  for (const terms::Product& behind : made.added) sum = sum + sums::exact_product(behind.a, behind.b);
  return sum;
}

}  // namespace plumb::parity::certify
