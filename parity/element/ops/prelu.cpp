// x where it is not below 0, else slope·x.
#include "ir/ops/prelu.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Prelu&, const Call& call) {
  const Number x = call.number(0, call.at()), slope = call.stretched(1);
  if (std::isnan(x.re.value) || !less(x.re, Real(0))) return x;
  if (!ir::is_integer(call.dtype_out())) return slope.re * x.re;
  return wrap(call.dtype_out(), static_cast<std::uint64_t>(whole(x)) * static_cast<std::uint64_t>(whole(slope)));
}

}  // namespace plumb::parity::element
