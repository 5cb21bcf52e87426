// One output is compared, looked at closer, and compared again.
#include "parity/judges/element_judge.hpp"

#include "parity/settle/certify/certify.hpp"
#include "parity/settle/range.hpp"
#include "parity/settle/settle.hpp"

namespace plumb::parity::judges {

void ElementJudge::compare(const ir::Tensor& got, cases::Measured& measured) {
  const auto compare_again = [&] {
    measured.local = settle::certify::certify(subject_, k_, bounded_, measured.allowed, got, measured.certificate);
  };
  measured.allowed = whole();
  measured.settled = {};
  measured.certificate = {};
  compare_again();
  if (measured.local.agrees() && measured.local.n_without_limit == 0 && !(measured.local.ratio_finite > 0.5)) return;
  const double first_ratio = measured.local.ratio();
  const auto settle = [&](settle::Looks looks) {
    settle::SettledOutput settled = settle::settle(subject_, k_, bounded_, got, looks);
    measured.settled = settled.counts;
    measured.settled.first_ratio = first_ratio;
    if (!measured.local.agrees() || measured.local.n_without_limit > 0) {
      settle::OutOfRange found =
          settle::set_out_of_range_apart(subject_, k_, bounded_.truth.outputs.at(k_), settled.allowed, got, native_);
      settled.allowed = std::move(found.allowed);
      measured.settled.out_of_range = found.count;
    }
    if (measured.local.n_without_limit > 0)
      measured.settled.out_of_range +=
          settle::set_unlimited_apart(bounded_.truth.outputs.at(k_), got.dtype(), settled.allowed);
    measured.allowed = std::move(settled.allowed);
  };
  settle(settle::Looks::until_one_fails);
  if (measured.settled.left > 0 && measured.settled.out_of_range > 0)  // the one may be apart for all that
    settle(settle::Looks::at_all);
  if (measured.settled.open + measured.settled.out_of_range > 0) compare_again();
}

}  // namespace plumb::parity::judges
