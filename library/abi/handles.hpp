#pragma once

// The contents of the handles of the ABI. Each keeps what it needs alive, whichever is freed first.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/residency.hpp"
#include "library/model.hpp"
#include "library/open_candidate.hpp"
#include "library/plumbline.h"
#include "parity/profile/device.hpp"
#include "parity/verify/verify.hpp"

struct plumb_graph {
  plumb::library::Model model;
  std::vector<std::string> names[4] = {};  ///< by plumb_values
  std::vector<plumb::ir::Value> values[4] = {};

  explicit plumb_graph(plumb::library::Model read);
};

struct plumb_feeds {
  std::vector<std::pair<std::string, plumb::ir::Tensor>> tensors;
};

struct plumb_executor {
  std::shared_ptr<plumb::library::OpenedCandidate> opened;
  std::string name;
};

struct plumb_executable {
  std::shared_ptr<plumb::library::OpenedCandidate> opened;
  plumb::library::Model model;
  std::vector<std::string> names;  ///< by wanted value, as the caller has it
  std::vector<plumb::ir::Value> wanted;
  std::unique_ptr<plumb::ir::Executable> executable;
};

struct plumb_buffer {
  plumb::ir::Buffer buffer;
};

struct plumb_params {
  std::shared_ptr<plumb::library::OpenedCandidate> opened;
  std::shared_ptr<plumb::ir::Params> params;
};

struct plumb_context {
  std::shared_ptr<plumb::library::OpenedCandidate> opened;
  plumb::library::Model model;
  std::vector<std::string> names;  ///< by wanted value
  std::vector<plumb::ir::Value> wanted;
  std::unique_ptr<plumb::ir::Context> context;
  std::set<std::string> texts = {};  ///< that C was given
};

struct plumb_fence {
  plumb::ir::Fence fence;
};

struct plumb_result {
  /// The texts of a row, which C sees as pointers.
  struct Row {
    std::string label, op, verdict, why, kernel, paired, repro;
    bool is_result = false;
  };
  /// By what it was made, as a results file says it.
  struct Made {
    plumb::parity::profile::Device device = {};
    std::string profile_file = {};
    int threads = 0;
  };

  plumb::parity::cases::CaseResult result;
  plumb::parity::core::Outcome outcome;
  std::string verdict;
  std::vector<Row> rows = {};
  std::string text = {}, json = {};  ///< made when they are asked for
  Made made;

  plumb_result(plumb::parity::cases::CaseResult of, const plumb::parity::core::Demands& demands, Made by);
};

struct plumb_devices {
  /// The texts of a device, which C sees as pointers.
  struct Device {
    std::string name, driver, uuid, refusal;
    std::uint64_t memory = 0;
    bool is_software = false;
  };
  std::vector<Device> devices = {};
};

struct plumb_text {
  std::string text;
};

namespace plumb::library::abi {

/// Throws Error, with the argument's name, where a handle is NULL.
template <class Handle>
Handle& require_handle(Handle* handle, std::string_view argument) {
  ir::require(handle != nullptr, argument, ": is NULL");
  return *handle;
}

/// Throws Error, with the argument's name, where there is no place for a result.
template <class Handle>
void require_place(Handle** place, std::string_view argument) {
  ir::require(place != nullptr, argument, ": is NULL");
}

/// Throws Error where a result has no row `k`.
inline void require_row(const plumb_result& result, std::size_t k) {
  ir::require(k < result.rows.size(), "k: is ", k, ", and there are ", result.rows.size());
}

/// An op and its attributes, a JSON object or NULL. Throws Error as graph files do.
ir::Op op_of(const char* op, const char* attributes);

}  // namespace plumb::library::abi
