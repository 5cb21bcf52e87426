#pragma once

#include <vector>

namespace plumb::parity::studies::fit {

/// The k-sample test of Anderson and Darling, whether several samples are of one distribution
/// whatever that is (Scholz and Stephens, "K-sample Anderson-Darling tests", J. Am. Statist. Assoc. 82,
/// 1987).
struct AndersonDarling {
  double statistic = 0;     ///< theirs, with midranks for equal values: A2akN (7)
  double standardised = 0;  ///< less its mean, over its deviation (5)

  /// Whether a single distribution is not refuted at 5 %.
  bool accepts() const { return standardised <= critical; }

  double critical = 0;  ///< the standardised statistic's critical value at 5 %, by their interpolation (section 5)
};

/// Takes at least two samples, none empty, with at least four values in all. Equal samples are accepted.
AndersonDarling compare_samples(const std::vector<std::vector<double>>& samples);

}  // namespace plumb::parity::studies::fit
