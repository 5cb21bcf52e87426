#pragma once

#include <array>

#include "ir/resident_context.hpp"
#include "ref_cpu/host_program.hpp"
#include "ref_cpu/step_calls.hpp"

namespace plumb::ref_cpu {

/// The memory of one run of a program, in which inputs may be written over. Runs are the queue's, one at a time; where
/// they call code that somebody registered, they are the caller's.
class HostContext final : public ir::ResidentContext {
 public:
  HostContext(std::shared_ptr<const HostProgram> program, std::shared_ptr<HostQueue> queue);
  ~HostContext() override;

  bool blocks() const override { return blocks_; }

 private:
  class RunEnd;
  class Run;

  HostContext(const std::shared_ptr<const HostProgram>& program, HostProgram::Layout layout,
              std::shared_ptr<HostQueue> queue);

  std::shared_ptr<ir::Memory> allocate(std::size_t bytes) override { return std::make_shared<HostMemory>(bytes); }
  std::string why_apart(ir::Value input, ir::Value result) const override;
  void settle() override { last_.wait(); }
  void rearranged() override;
  ir::Fence begin(const ir::Arrangement& arrangement, std::size_t turn, const ir::Feeds& rest) override;

  std::shared_ptr<RunEnd> unused_end();

  std::shared_ptr<const HostProgram> program_;
  HostProgram::Layout layout_;
  HostProgram::Workspace workspace_;
  std::shared_ptr<HostQueue> queue_;
  const bool blocks_;
  std::array<std::unique_ptr<Run>, 2> runs_;          ///< by turn; null until it is needed
  std::array<std::shared_ptr<RunEnd>, 4> ends_ = {};  ///< those of the last runs, for later ones
  Ticket last_;
};

}  // namespace plumb::ref_cpu
