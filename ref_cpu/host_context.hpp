#pragma once

#include "ir/resident_context.hpp"
#include "ref_cpu/host_program.hpp"

namespace plumb::ref_cpu {

/// The memory of one run of a program, in which inputs may be written over. A run ends before `submit` returns.
class HostContext final : public ir::ResidentContext {
 public:
  explicit HostContext(std::shared_ptr<const HostProgram> program);

  bool blocks() const override { return true; }

 private:
  HostContext(const std::shared_ptr<const HostProgram>& program, HostProgram::Layout layout);

  std::shared_ptr<ir::Memory> allocate(std::size_t bytes) override { return std::make_shared<HostMemory>(bytes); }
  std::string why_apart(ir::Value input, ir::Value result) const override;
  void settle() override {}
  void rearranged() override {}
  ir::Fence begin(const ir::Arrangement& arrangement, std::size_t turn, const ir::Feeds& rest) override;

  void run(const ir::Arrangement& arrangement, const ir::Feeds& rest);

  std::shared_ptr<const HostProgram> program_;
  HostProgram::Layout layout_;
  std::vector<ir::NodeReport> reports_;
};

}  // namespace plumb::ref_cpu
