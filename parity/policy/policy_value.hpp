#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The small languages inside a policy's strings: version tests and limits.
namespace plumb::parity::policy {

/// "26.1.3", or a count as its one part; missing parts are 0.
using Version = std::vector<std::uint64_t>;

/// The first dotted number in a text: 22.3.6 of "Mesa 22.3.6 (LLVM 15)"; empty where there is none.
Version first_version(std::string_view text);

enum class Order { less, at_most, equal, at_least, more };

struct VersionTest {
  Order order = Order::equal;
  Version version = {};

  bool holds(const Version& found) const;
  /// Whether all that `other` takes is taken by this.
  bool covers(const VersionTest& other) const;
};

/// "<26.1", ">= 64", "64"; throws Error.
VersionTest parse_test(std::string_view text);

/// The variables of limit expressions, by their names there.
struct Variables {
  double n = 1, k = 1, u = 0, u_out = 0;
  double norm1 = 0, norm2 = 0, m = 0;  ///< the truth's sum of magnitudes, root of the sum of squares, largest magnitude
};

/// A limit: a number, or an expression such as "1.5 * u * sqrt(log2(n))".
struct Limit {
  double number = 0;
  std::string expression = {};

  double value(const Variables& variables) const;
};

/// + - * / ( ) over numbers, n, k, m, u, u_out, norm1, norm2, pi and sqrt, log2, abs, max, min. Throws Error that says
/// where.
double evaluate(std::string_view expression, const Variables& variables);

}  // namespace plumb::parity::policy
