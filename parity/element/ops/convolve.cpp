// Σ_k h[k]·x[.., n − k] over the samples that there are.
#include "ir/ops/convolve.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Convolve&, const Call& call) {
  const std::int64_t n = call.at().back();
  Position in_x = call.at();
  Sum sum;
  for (std::int64_t k = 0; k < call.in(1)[0]; ++k) {
    in_x.back() = n - k;
    if (in_x.back() >= 0 && in_x.back() < call.in(0).back())
      sum.add(call.real(1, {k}), call.real(0, in_x));
    else
      sum.skip();
  }
  return sum.total();
}

}  // namespace plumb::parity::element
