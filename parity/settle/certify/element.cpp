// One element of the truth as a sum of exact products in double-double.
#include "parity/element/terms/terms.hpp"
#include "parity/settle/certify/certify.hpp"

namespace plumb::parity::settle::certify {

std::optional<sums::DoubleDouble> element_of(const element::terms::Walker& walker, std::size_t index) {
  element::terms::ElementSum made;
  walker(static_cast<std::int64_t>(index), made);
  if (made.is_rounded) return std::nullopt;
  sums::DoubleDouble sum;
  for (const element::terms::Product& term : made.terms) sum = sum + sums::exact_product(term.a, term.b);
  if (made.scale != 1) sum = sum * made.scale;
  if (made.divisor != 1) sum = sum / made.divisor;
  for (const element::terms::Product& behind : made.added) sum = sum + sums::exact_product(behind.a, behind.b);
  return sum;
}

}  // namespace plumb::parity::settle::certify
