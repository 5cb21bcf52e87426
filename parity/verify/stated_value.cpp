#include "parity/verify/stated_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "parity/core/float_format.hpp"

namespace plumb::parity::verify {
namespace {

/// One real number that is stated, or one part of a complex one.
struct Real {
  double stated, last_digit, as_read, as_written, doubt;

  double slack(const core::FloatFormat& format) const { return std::max(format.ulp(as_read), last_digit) / 2 + doubt; }
};

/// Whether a number is what a truth rounds to that is not finite in the dtype, or is its like.
bool is_like(double stated, double truth, const core::FloatFormat& format) {
  if (std::isnan(stated) || std::isnan(truth)) return std::isnan(stated) && std::isnan(truth);
  return stated == truth || (std::isinf(stated) && std::abs(truth) >= format.overflow() && (stated > 0) == (truth > 0));
}

bool stands(const Real& x, const core::FloatFormat& format) {
  if (!std::isfinite(x.stated) || !std::isfinite(x.as_read) || !std::isfinite(x.as_written))
    return is_like(x.stated, x.as_read, format) || is_like(x.stated, x.as_written, format);
  const double slack = x.slack(format);
  return std::min(x.as_read, x.as_written) - slack <= x.stated && x.stated <= std::max(x.as_read, x.as_written) + slack;
}

/// The numbers of a tensor one after the other, both parts of complex ones.
std::span<const double> numbers_of(const ir::Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return {reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double)};
}

std::string describe(std::size_t bad, std::size_t all, std::size_t worst, const Real& x, double slack) {
  std::string text =
      fmt::format("{} of {} elements are stated wrong; the worst is element {}: stated {:.9g}, it is {:.9g}", bad, all,
                  worst, x.stated, x.as_read);
  if (x.as_written != x.as_read && std::isfinite(x.as_written))
    text += fmt::format(" (of the decimals as written {:.9g})", x.as_written);
  return std::isfinite(slack) ? text + fmt::format(", give or take {:.3g}", slack) : text;
}

std::string reals_that_do_not_stand(const StatedValue& value) {
  const std::size_t parts = ir::is_complex(value.dtype) ? 2 : 1;
  const core::FloatFormat format = core::float_format(value.dtype);
  const auto stated = numbers_of(value.stated), as_read = numbers_of(value.as_read);
  const auto at = [](const ir::Tensor* tensor, std::size_t i, double otherwise) {
    return tensor != nullptr ? numbers_of(*tensor)[i] : otherwise;
  };
  std::size_t bad = 0, worst = 0;
  double most = -1;
  Real worst_real{};
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const Real x{stated[i], at(value.last_digits, i, 0), as_read[i], at(value.as_written, i, as_read[i]),
                 value.doubt != nullptr ? value.doubt->as<double>()[i / parts] : 0};
    if (stands(x, format)) continue;
    const double nearest = std::min(std::abs(x.stated - x.as_read), std::abs(x.stated - x.as_written));
    const double times = std::isfinite(nearest) ? nearest / x.slack(format) : std::numeric_limits<double>::infinity();
    if (times > most) {
      most = times;
      worst = i / parts;
      worst_real = x;
    }
    ++bad;
  }
  if (bad == 0) return "";
  return describe(bad, stated.size(), worst, worst_real,
                  std::isfinite(most) ? worst_real.slack(format) : std::numeric_limits<double>::infinity());
}

/// An integer or a bool, in all its digits.
std::string whole_text(const ir::Tensor& tensor, std::size_t i) {
  std::string text;
  ir::visit_any(tensor.dtype(), [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) text = std::to_string(tensor.as<T>()[i]);
  });
  return text;
}

/// Integers and bools are one of both truths.
std::string others_that_do_not_stand(const StatedValue& value) {
  const std::size_t width = ir::info(value.dtype).bytes;
  const auto stated = value.stated.bytes(), as_read = value.as_read.bytes();
  const auto as_written = value.as_written != nullptr ? value.as_written->bytes() : as_read;
  const auto differs = [&](std::size_t i, auto truth) {
    return std::memcmp(stated.data() + i * width, truth.data() + i * width, width) != 0;
  };
  const auto count = static_cast<std::size_t>(value.stated.elements());
  std::size_t bad = 0, first = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (differs(i, as_read) && differs(i, as_written) && bad++ == 0) first = i;
  if (bad == 0) return "";
  return fmt::format("{} of {} elements are stated wrong; the first is element {}: stated {}, it is {}", bad, count,
                     first, whole_text(value.stated, first), whole_text(value.as_read, first));
}

}  // namespace

std::string why_it_does_not_stand(const StatedValue& value) {
  const bool is_real = ir::is_float(value.dtype) || ir::is_complex(value.dtype);
  return is_real ? reals_that_do_not_stand(value) : others_that_do_not_stand(value);
}

}  // namespace plumb::parity::verify
