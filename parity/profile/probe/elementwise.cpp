// Probes what elementwise kernels do with subnormals, and whether fused multiply-add rounds once.
#include "parity/profile/probe/elementwise.hpp"

#include <cmath>

#include "ir/ops/binary.hpp"
#include "ir/ops/fma.hpp"
#include "parity/core/float_format.hpp"
#include "parity/profile/probe/one_op.hpp"

namespace plumb::parity::profile::probe {
namespace {

ir::Tensor numbers(ir::DType dtype, const std::vector<double>& values) {
  return ir::convert(ir::Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values), dtype);
}

Subnormals seen(double got, double kept) {
  return got == kept ? Subnormals::kept : got == 0 ? Subnormals::flushed : Subnormals::unknown;
}

/// An inquiry of one round, of one op on a few numbers.
template <class Found>
class OneOp : public Finding<Found> {
 public:
  OneOp(ir::Op op, bool is_host, ir::DType dtype)
      : dtype_(dtype), op_(std::move(op)), is_host_(is_host), format_(core::float_format(dtype)) {}

  std::vector<core::Trial> ask() override {
    std::vector<core::Trial> trials;
    if (!std::exchange(has_asked_, true)) trials.push_back(trial_of(op_, operands()));
    return trials;
  }
  void hear(std::vector<core::TrialEnd> ends) override {
    if (const auto got = output_of(ends.at(0), is_host_)) wide_ = ir::convert(*got, ir::DType::f64);
  }

 protected:
  virtual std::vector<ir::Tensor> operands() const = 0;
  const core::FloatFormat& format() const { return format_; }

  const ir::DType dtype_;
  std::optional<ir::Tensor> wide_;

 private:
  const ir::Op op_;
  const bool is_host_;
  const core::FloatFormat format_;
  bool has_asked_ = false;
};

double power(int exponent) { return std::ldexp(1.0, exponent); }

class SubnormalInquiry final : public OneOp<SubnormalHandling> {
 public:
  SubnormalInquiry(bool is_host, ir::DType dtype)
      : OneOp(ir::ops::Binary{ir::ops::BinaryFunction::multiply}, is_host, dtype) {}

  std::optional<SubnormalHandling> found() const override {
    if (!wide_) return std::nullopt;
    const auto y = wide_->as<double>();
    return SubnormalHandling{dtype_, seen(y[0], power(below() + 8)), seen(y[1], power(below()))};
  }

 private:
  /// A quarter of the smallest normal: times what makes it normal, and made of two normals.
  int below() const { return format().min_exponent - 2; }
  std::vector<ir::Tensor> operands() const override {
    const int half = below() / 2;
    return {numbers(dtype_, {power(below()), power(half)}), numbers(dtype_, {power(8), power(below() - half)})};
  }
};

class FmaInquiry final : public OneOp<FmaHandling> {
 public:
  FmaInquiry(bool is_host, ir::DType dtype) : OneOp(ir::ops::Fma{}, is_host, dtype) {}

  std::optional<FmaHandling> found() const override {
    if (!wide_) return std::nullopt;
    const double y = wide_->as<double>()[0];
    return FmaHandling{dtype_, y == e() * e() ? FmaKind::fused : y == 0 ? FmaKind::separate : FmaKind::unknown};
  }

 private:
  /// (1 + e)^2 - (1 + 2 e) is e^2, which the rounded product has lost.
  double e() const { return power(-((format().fraction_bits + 1) / 2 + 1)); }
  std::vector<ir::Tensor> operands() const override {
    const ir::Tensor a = numbers(dtype_, {1 + e()}), c = numbers(dtype_, {-(1 + 2 * e())});
    return {a, a, c};
  }
};

}  // namespace

std::unique_ptr<Finding<SubnormalHandling>> inquire_subnormals(bool is_host, ir::DType dtype) {
  return std::make_unique<SubnormalInquiry>(is_host, dtype);
}

std::optional<SubnormalHandling> probe_subnormals(ir::Executor& executor, bool is_host, ir::DType dtype) {
  return settled(*inquire_subnormals(is_host, dtype), core::one_by_one(executor));
}

std::unique_ptr<Finding<FmaHandling>> inquire_fma(bool is_host, ir::DType dtype) {
  return std::make_unique<FmaInquiry>(is_host, dtype);
}

std::optional<FmaHandling> probe_fma(ir::Executor& executor, bool is_host, ir::DType dtype) {
  return settled(*inquire_fma(is_host, dtype), core::one_by_one(executor));
}

}  // namespace plumb::parity::profile::probe
