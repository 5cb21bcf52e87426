// Patterns around tensors, and pages that nobody may touch.
#include "library/host/guarded_memory.hpp"

#include <unistd.h>

#include <bit>
#include <cstring>

namespace plumb::library::host {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T bits, std::size_t times = 1) {
  const auto one = std::bit_cast<std::array<std::byte, sizeof(T)>>(bits);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < times; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
  return bytes;
}

/// Repeats the element from the first byte on.
void fill(std::span<std::byte> memory, std::span<const std::byte> element) {
  std::size_t done = std::min(memory.size(), element.size());
  std::memcpy(memory.data(), element.data(), done);
  while (done < memory.size()) {
    const std::size_t more = std::min(done, memory.size() - done);
    std::memcpy(memory.data() + done, memory.data(), more);
    done += more;
  }
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

std::vector<std::byte> element_of(Pattern pattern, ir::DType dtype) {
  const bool is_nan = pattern == Pattern::nan;
  const std::uint32_t f32 = is_nan ? 0x7FC00000u : std::bit_cast<std::uint32_t>(0x1p100f);
  const std::uint64_t f64 = is_nan ? 0x7FF8000000000000u : std::bit_cast<std::uint64_t>(0x1p100);
  switch (dtype) {
    case ir::DType::f16:
      return bytes_of<std::uint16_t>(is_nan ? 0x7E00 : 0x7600);  // 0x7600 is 24576
    case ir::DType::bf16:
      return bytes_of(static_cast<std::uint16_t>(f32 >> 16));
    case ir::DType::f32:
      return bytes_of(f32);
    case ir::DType::c64:
      return bytes_of(f32, 2);
    case ir::DType::f64:
      return bytes_of(f64);
    case ir::DType::c128:
      return bytes_of(f64, 2);
    default:
      return std::vector<std::byte>(ir::info(dtype).bytes, is_nan ? std::byte{0xA5} : std::byte{0x5A});
  }
}

GuardedMemory::GuardedMemory(const ir::TensorType& type, std::optional<ir::TensorView> content, Pattern pattern,
                             Placement placement, std::size_t align)
    : size_(type.bytes()), element_(element_of(pattern, type.dtype)), placement_(placement) {
  const std::size_t page = page_bytes(), around = std::max(page, guard_bytes);
  const std::size_t inside = (std::max<std::size_t>(size_, 1) + page - 1) / page * page;
  const std::size_t all = inside + 2 * around;
  void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ir::require(memory != MAP_FAILED, "there is no memory for ", type);
  pages_ = {static_cast<std::byte*>(memory), UnmapPages{all}};
  const std::size_t step = std::max(align, element_.size());
  const std::size_t gap = placement == Placement::end_of_page ? (inside - size_) / step * step : 0;
  data_ = pages_.get() + around + gap;
  fill({pages_.get(), all}, element_);
  if (content && size_ > 0) std::memcpy(data_, content->bytes().data(), size_);
  if (placement == Placement::guard_zones) return;
  ir::require(mprotect(pages_.get(), around, PROT_NONE) == 0 &&
                  mprotect(pages_.get() + around + inside, around, PROT_NONE) == 0,
              "the system does not protect a page");
}

void GuardedMemory::refill(std::optional<ir::TensorView> content) {
  fill({pages_.get(), pages_.get_deleter().size}, element_);
  if (content && size_ > 0) std::memcpy(data_, content->bytes().data(), size_);
}

std::string GuardedMemory::breach() const {
  const auto differs = [&](std::size_t at) {  // `at` bytes from the start of the zone before; both begin as an element
    return data_[static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(guard_bytes)] !=
           element_[at % element_.size()];
  };
  const std::size_t width = element_.size();  // a byte of an element may be as it was
  for (std::size_t i = guard_bytes; i-- > 0;)
    if (differs(guard_bytes + size_ + i)) return ir::cat("writes ", (i / width + 1) * width, " bytes behind ");
  for (std::size_t i = 0; i < guard_bytes; ++i)
    if (differs(i)) return ir::cat("writes ", guard_bytes - i / width * width, " bytes before ");
  return "";
}

std::string GuardedMemory::place_of(std::uintptr_t address) const {
  if (placement_ == Placement::guard_zones) return "";
  const auto first = reinterpret_cast<std::uintptr_t>(pages_.get()), data = reinterpret_cast<std::uintptr_t>(data_);
  if (address < first || address >= first + pages_.get_deleter().size) return "";
  if (address < data) return ir::cat(data - address, " bytes before ");
  const std::uintptr_t behind = address - data - size_;
  return behind == 0 ? "right behind " : ir::cat(behind, " bytes behind ");
}

}  // namespace plumb::library::host
