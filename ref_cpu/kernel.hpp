#pragma once

#include <memory>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::ref_cpu {

/// Whatever a kernel makes of a node's types and attributes alone. It is made in the first run, and kept for later ones
/// on the same memory.
class KeptPlans {
 public:
  /// The plan that `make` gives, or gave when the kernel came here in an earlier run. A kernel may come to one place
  /// several times, in the same order in every run.
  template <class Make>
  const auto& get(const Make& make) {
    using Plan = std::invoke_result_t<const Make&>;
    static char place;  // its address says which function this is
    for (Entry& entry : entries_)
      if (entry.place == &place && !std::exchange(entry.is_used, true))
        return *static_cast<const Plan*>(entry.plan.get());
    auto made = std::make_shared<const Plan>(make());
    const Plan& plan = *made;
    entries_.push_back({&place, true, std::move(made)});
    return plan;
  }

  void begin_run() {
    for (Entry& entry : entries_) entry.is_used = false;
  }

 private:
  struct Entry {
    const void* place;
    bool is_used;
    std::shared_ptr<const void> plan;
  };
  std::vector<Entry> entries_;
};

/// The operands and the results of one node. A kernel for op T is the function
///   void run(const ir::ops::T&, Call&)
/// in ops/t.cpp. `infer` has checked everything that can be checked before the
/// values are known. It is never called for a node whose outputs are all empty.
/// Outputs hold whatever was there before: a kernel writes every element. Kernels
/// may run in parallel, over parallel_for only. They allocate nothing that another
/// run would allocate again: what they compute with is a ScratchVector, and what
/// follows from types and attributes is kept.
struct Call {
  std::vector<ir::TensorView> inputs;
  std::vector<ir::MutableView> outputs;
  KeptPlans plans = {};

  const ir::TensorView& in(std::size_t i) const { return inputs.at(i); }
  const ir::MutableView& out(std::size_t i) const { return outputs.at(i); }

  template <class Make>
  const auto& kept(const Make& make) {
    return plans.get(make);
  }
};

}  // namespace plumb::ref_cpu
