// Why an output is mistrusted of which too few sampled elements would notice a small fault.
#include "parity/cases/sensitivity.hpp"

#include <fmt/format.h>

namespace plumb::parity::cases {

std::string Sensitivity::mistrust() const {
  if (is_figure || sampled < fewest || !(share < least)) return "";
  return fmt::format(
      "only {:.2g} % of {} elements looked at would differ if their operands had half of their bits, or if sums lacked "
      "a "
      "term",
      100 * share, sampled);
}

}  // namespace plumb::parity::cases
