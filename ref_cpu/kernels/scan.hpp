#pragma once

#include <algorithm>
#include <type_traits>

#include "ir/convert.hpp"
#include "ir/kernels/scan_states.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

/// Code common to the kernels of scans: data and states of several dtypes, all computed in C, float or double.
namespace plumb::ref_cpu::kernels {

/// The numbers of an operand: in place where it holds C, else a copy. The operand must outlive it.
template <class C>
class ScanOperand {
 public:
  explicit ScanOperand(const ir::TensorView& x) {
    ir::visit_float(x.dtype(), [&]<class T>(T) {
      const auto stored = x.as<T>();
      if constexpr (std::is_same_v<T, C>) {
        values_ = stored;
      } else {
        copy_.resize(stored.size());
        parallel_for(x.elements(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
          for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            copy_[i] = ir::convert_value<C>(stored[i]);
        });
        values_ = copy_;
      }
    });
  }
  ScanOperand(const ScanOperand&) = delete;
  ScanOperand& operator=(const ScanOperand&) = delete;

  const C* at(std::int64_t i) const { return values_.data() + i; }

 private:
  ScratchRoom<C> copy_;
  std::span<const C> values_;
};

/// A result that is made in C, in place where it holds such; else store() rounds it, once. The result must outlive it.
template <class C>
class ScanResult {
 public:
  explicit ScanResult(const ir::MutableView& y) : y_(y) {
    if (y.dtype() == ir::dtype_of<C>) {
      values_ = y.template as<C>();
    } else {
      own_.resize(static_cast<std::size_t>(y.elements()));
      values_ = own_;
    }
  }
  ScanResult(const ScanResult&) = delete;
  ScanResult& operator=(const ScanResult&) = delete;

  C* at(std::int64_t i) { return values_.data() + i; }

  void store() {
    if (own_.empty()) return;
    ir::visit_float(y_.dtype(), [&]<class T>(T) {
      const auto stored = y_.as<T>();
      parallel_for(y_.elements(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          stored[i] = ir::convert_value<T>(own_[i]);
      });
    });
  }

 private:
  const ir::MutableView& y_;
  ScratchRoom<C> own_;
  std::span<C> values_;
};

/// The states of a scan: the one before its first step, and those that it gives.
template <class C>
class ScanStateValues {
 public:
  ScanStateValues(const ir::kernels::ScanStates& states, bool has_state, Call& call)
      : every_(states.every), elements_(states.state.shape.elements()), last_(call.out(1)) {
    if (has_state) first_.emplace(call.inputs.back());
    if (every_ > 0) on_the_way_.emplace(call.out(2));
  }

  /// Copies `count` numbers of the first state, from number `i` on.
  void begin(std::int64_t i, std::int64_t count, C* state) const {
    if (first_)
      std::copy_n(first_->at(i), count, state);
    else
      std::fill_n(state, count, C{0});
  }
  /// Takes these numbers of the state after step `t`, the first being 0, where that is one that is given.
  void after(std::int64_t t, std::int64_t i, std::int64_t count, const C* state) {
    if (every_ > 0 && (t + 1) % every_ == 0)
      std::copy_n(state, count, on_the_way_->at(((t + 1) / every_ - 1) * elements_ + i));
  }
  /// Takes these numbers of the state after all steps.
  void end(std::int64_t i, std::int64_t count, const C* state) { std::copy_n(state, count, last_.at(i)); }

  void store() {
    last_.store();
    if (on_the_way_) on_the_way_->store();
  }

 private:
  const std::int64_t every_, elements_;
  std::optional<ScanOperand<C>> first_;
  ScanResult<C> last_;
  std::optional<ScanResult<C>> on_the_way_;
};

/// Calls fn with a number of the type that a scan computes in.
template <class Fn>
void visit_computed(ir::DType computed, const Fn& fn) {
  if (computed == ir::DType::f64)
    fn(double{});
  else
    fn(float{});
}

/// The types of a call's operands, as ops ask for them.
inline ir::TensorTypes types_of(const Call& call) {
  ir::TensorTypes types;
  for (const ir::TensorView& x : call.inputs) types.push_back(x.type());
  return types;
}

}  // namespace plumb::ref_cpu::kernels
