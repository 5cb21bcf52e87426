// A program that links the Vulkan loader itself asks it something, before it uses plumbline, which has opened it, too.
#include <cstdio>

extern "C" int vkEnumerateInstanceVersion(unsigned* version);

namespace {

[[maybe_unused]] const bool has_asked = [] {
  unsigned version = 0;
  return vkEnumerateInstanceVersion(&version) == 0 &&
         std::printf("its own loader: %u.%u\n", version >> 22 & 0x7f, version >> 12 & 0x3ff) > 0;
}();

}  // namespace
