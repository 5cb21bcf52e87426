#pragma once

// The devices of this host, and which of them a worker of a campaign takes.

#include <optional>
#include <string>
#include <vector>

#include "parity/campaign/queue.hpp"
#include "parity/campaign/task.hpp"

namespace plumb::parity::cli {

struct HostDevice {
  std::string name = {}, uuid = {};
  std::size_t index = 0;  ///< among all that the drivers list
  bool is_software = false;
  bool is_named = false;  ///< --device named it

  /// Its name in the campaign's folder, in which several hosts may meet.
  std::string folder_name() const;
};

/// Those that can be used. A process of its own lists them, so that this one loads no driver. Throws Error where it
/// does not.
std::vector<HostDevice> devices_here();

/// Those that --device names, as other commands take it: an index, a UUID, a name with * and ?, or cpu. Throws Error
/// where it names none.
std::vector<HostDevice> named_devices(const std::vector<HostDevice>& all, const std::string& device);

/// Whether a task may run on the device: one of its globs matches the name, and is not of * alone where that is a
/// software device which nobody named.
bool takes_device(const campaign::Task& task, const HostDevice& device);

}  // namespace plumb::parity::cli
