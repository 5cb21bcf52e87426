// Names the case and the device in the description that files of tensors carry.
#include "parity/cli/show/about_tensors.hpp"

#include "parity/cases/identity.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/core/build_info.hpp"

namespace plumb::parity::cli::show {

std::string about_tensors(const ir::formats::DumpDescription& tensors, const cases::Case& subject,
                          const flags::ChosenExecutor& on, std::string_view watch) {
  cases::RunSettings settings{.candidate = on.spec};
  const gpu_vulkan::VulkanExecutor* const device = on.device();
  if (device != nullptr) {
    settings = flags::run_settings(device->options());
    settings.calibration = flags::calibration_of(*device);
  }
  const cases::Identity identity = cases::identity_of(subject, core::Mode::attribute, settings);
  return tensors.text({{"id", identity.id()},
                       {"subject", identity.subject},
                       {"options", identity.options},
                       {"device", device == nullptr ? "" : device->facts().name},
                       {"driver", device == nullptr ? "" : device->facts().driver_info},
                       {"candidate", on.foreign() == nullptr ? "" : to_text(on.foreign()->description())},
                       {"commit", std::string(core::build_info().git_commit)},
                       {"watch", std::string(watch)}});
}

}  // namespace plumb::parity::cli::show
