// The Vulkan instance, with the validation layer where wanted: its messages are kept and thrown as errors.
#include "gpu_vulkan/runtime/driver/instance.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "gpu_vulkan/runtime/driver/result.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

struct Instance::Messages {
  std::mutex mutex;
  std::vector<std::string> all;
  std::size_t thrown = 0;
};

namespace {

constexpr const char* layer = "VK_LAYER_KHRONOS_validation";

struct Late {
  std::mutex mutex;
  std::vector<std::string> messages;
};

Late& late() {
  static Late instance;
  return instance;
}

/// The version of Vulkan that the validation layer knows; 0 where there is none.
std::uint32_t installed_layer() {
  std::uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr), "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> all(count);
  check(vkEnumerateInstanceLayerProperties(&count, all.data()), "vkEnumerateInstanceLayerProperties");
  const auto found = std::ranges::find_if(all, [](const auto& one) { return std::strcmp(one.layerName, layer) == 0; });
  return found == all.end() ? 0 : found->specVersion;
}

bool layer_has(const char* extension) {
  std::uint32_t count = 0;
  check(vkEnumerateInstanceExtensionProperties(layer, &count, nullptr), "vkEnumerateInstanceExtensionProperties");
  std::vector<VkExtensionProperties> all(count);
  check(vkEnumerateInstanceExtensionProperties(layer, &count, all.data()), "vkEnumerateInstanceExtensionProperties");
  return std::ranges::any_of(all, [&](const auto& one) { return std::strcmp(one.extensionName, extension) == 0; });
}

/// Drivers and layers are loaded with the first instance that wants them and unloaded with
/// the last, and not all of them bear that often: after a dozen times NVIDIA's cannot be
/// loaded any more, and the leaks of a layer that is gone have no name. An instance of either
/// kind that is never destroyed keeps them.
void keep_loaded(VkInstanceCreateInfo info, bool validation) {
  static std::array<std::once_flag, 2> once;
  static std::array<VkInstance, 2> kept;
  if (validation) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
  }
  std::call_once(once[validation],
                 [&] { check(vkCreateInstance(&info, nullptr, &kept[validation]), "vkCreateInstance"); });
}

/// The checks of the validation layer, in the forms of newer and of older layers. Newer ones
/// have to be asked to look at the accesses of shaders, older ones always do.
class LayerSettings {
 public:
  explicit LayerSettings(const void* next) : is_new_(layer_has(VK_EXT_LAYER_SETTINGS_EXTENSION_NAME)) {
    for (const char* name : {"validate_sync", "syncval_shader_accesses_heuristic"})
      settings_.push_back({layer, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on_});
    newer_.pNext = next;
    newer_.settingCount = static_cast<std::uint32_t>(settings_.size());
    newer_.pSettings = settings_.data();
    older_.pNext = next;
    older_.enabledValidationFeatureCount = 1;
    older_.pEnabledValidationFeatures = &feature_;
  }
  LayerSettings(const LayerSettings&) = delete;

  const void* chain() const { return is_new_ ? static_cast<const void*>(&newer_) : &older_; }
  const char* extension() const {
    return is_new_ ? VK_EXT_LAYER_SETTINGS_EXTENSION_NAME : VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
  }

 private:
  bool is_new_;
  VkBool32 on_ = VK_TRUE;
  VkValidationFeatureEnableEXT feature_ = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  std::vector<VkLayerSettingEXT> settings_;
  VkLayerSettingsCreateInfoEXT newer_ =
      structure<VkLayerSettingsCreateInfoEXT>(VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT);
  VkValidationFeaturesEXT older_ = structure<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
};

[[noreturn]] void refuse(VkResult result) {
  const std::string returned = ir::cat("vkCreateInstance returned ", result_name(result));
  if (result != VK_ERROR_INCOMPATIBLE_DRIVER) throw ir::Unsupported(returned);
  throw ir::Unsupported(
      ir::cat("no driver: ", returned,
              "; install the GPU's, or Mesa's software driver (Debian and Ubuntu: mesa-vulkan-drivers), or name a "
              "driver's manifest in VK_DRIVER_FILES"));
}

}  // namespace

Instance::Instance(bool validation) : messages_(std::make_unique<Messages>()) {
  open_loader();
  auto app = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  app.pApplicationName = "plumbline";
  app.apiVersion = VK_API_VERSION_1_3;
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &app;
  if (validation)
    create_with_layer(info);
  else
    create(info);
  keep_loaded(info, validation);
}

void Instance::create(const VkInstanceCreateInfo& info) {
  VkInstance raw = VK_NULL_HANDLE;
  if (const VkResult result = vkCreateInstance(&info, nullptr, &raw); result != VK_SUCCESS) refuse(result);
  instance_.reset(raw);
}

void Instance::create_with_layer(VkInstanceCreateInfo info) {
  layer_version_ = installed_layer();
  if (layer_version_ == 0)
    throw ir::Unsupported(
        ir::cat("validation is on, but ", layer, " is not installed (Debian and Ubuntu: vulkan-validationlayers)"));
  // pUserData outlives the instance; a callback runs on whatever thread calls Vulkan.
  auto messenger =
      structure<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pUserData = messages_.get();
  messenger.pfnUserCallback = [](VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                 const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) -> VkBool32 {
    auto& messages = *static_cast<Messages*>(user);
    const std::lock_guard lock(messages.mutex);
    messages.all.emplace_back(data->pMessage);
    return VK_FALSE;
  };
  const LayerSettings settings(&messenger);
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, settings.extension()};
  info.pNext = settings.chain();
  info.enabledLayerCount = 1;
  info.ppEnabledLayerNames = &layer;
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = extensions;
  create(info);
  const auto make = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(get(), "vkCreateDebugUtilsMessengerEXT"));
  ir::require(make != nullptr, "the Vulkan loader has no vkCreateDebugUtilsMessengerEXT");
  check(make(get(), &messenger, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE)
    reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(get(), "vkDestroyDebugUtilsMessengerEXT"))(get(), messenger_, nullptr);
  instance_.reset();
  const std::lock_guard lock(late().mutex);
  auto& all = messages_->all;
  late().messages.insert(late().messages.end(), all.begin() + static_cast<std::ptrdiff_t>(messages_->thrown),
                         all.end());
}

std::vector<std::string> Instance::messages() const {
  const std::lock_guard lock(messages_->mutex);
  return messages_->all;
}

void Instance::throw_new_messages() {
  const std::lock_guard lock(messages_->mutex);
  std::string text;
  for (; messages_->thrown < messages_->all.size(); ++messages_->thrown)
    text += "\n" + messages_->all[messages_->thrown];
  if (!text.empty()) throw ir::Error("Vulkan validation:" + text);
}

std::vector<std::string> Instance::late_messages() {
  const std::lock_guard lock(late().mutex);
  return late().messages;
}

}  // namespace plumb::gpu_vulkan::runtime::driver
