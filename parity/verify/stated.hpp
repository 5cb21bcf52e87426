#pragma once

#include <map>
#include <string>

#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

/// The values of its graph that the file of a case states: statements of the right answer, which no limit of a
/// kernel excuses (verdict.md V43). Must not outlive the case.
class Stated {
 public:
  /// Nothing where the case runs in another dtype than the file's.
  Stated(const cases::Case& subject, ir::Executor& reference);

  bool has(ir::Value value) const { return values_.contains(value); }

  /// The error of a value that a node computed, by the file's statement; "" where it states nothing or is right. The
  /// truth is held against the file or, where the file has another implementation's evaluation, the device is: that
  /// evaluation was not made in f64 either, and at a tie or a threshold the truth may be as far from it as the next
  /// integer. Notes the device's distance in the result.
  std::string against(cases::NodeResult& result, ir::Value value, const ir::Tensor& truth,
                      const ir::Tensor& device) const;

  /// The error of values that no node computes: they are as they were fed.
  std::string refute_by_sources() const;

 private:
  std::string refute_by_truth(ir::Value value, ir::DType dtype, const ir::Tensor& truth) const;
  ir::Tensor as_written(ir::Value value) const;
  ir::Tensor doubt_of(ir::Value value) const;
  const ir::Tensor* written(ir::Value value) const;
  const ir::Tensor* last_digits(ir::Value value) const;

  const cases::Case& subject_;
  ir::Executor& reference_;
  std::map<ir::Value, const ir::Tensor*> values_;
};

}  // namespace plumb::parity::verify
