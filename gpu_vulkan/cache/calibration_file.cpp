// A calibration as a text file of one line per measurement, refused unless its key is that of this device and driver.
#include "gpu_vulkan/cache/calibration_file.hpp"

#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "ir/error.hpp"

namespace plumb::gpu_vulkan::cache {
namespace {

constexpr std::string_view head = "plumbline-calibration 1";
constexpr std::size_t most_bytes = 1 << 20;

/// The words of one line, one after the other.
class Line {
 public:
  Line(std::string_view text, std::string_view file, std::size_t number) : rest_(text), file_(file), number_(number) {}

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    ir::fail(file_, ':', number_, ": ", parts...);
  }

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  std::string_view word(std::string_view what) {
    if (rest_.empty()) refuse("wanted ", what);
    const auto end = std::min(rest_.find(' '), rest_.size());
    const auto found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (found.empty()) refuse("wanted ", what, ", found two blanks");
    return found;
  }

  template <class T>
  T number(std::string_view what) {
    const auto text = word(what);
    T value{};
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || stop != text.data() + text.size() || !(value > 0) ||
        value > std::numeric_limits<T>::max())
      refuse("wanted ", what, ", a number above 0, found '", text, "'");
    return value;
  }

 private:
  std::string_view rest_, file_;
  std::size_t number_;
};

device::TileTimes times_of(Line& line) {
  device::TileTimes one{.kernel = std::string(line.word("a kernel"))};
  one.size.m = line.number<std::int64_t>("m");
  one.size.k = line.number<std::int64_t>("k");
  one.size.n = line.number<std::int64_t>("n");
  one.size.batches = line.number<std::int64_t>("batches");
  do {
    const std::string tile(line.word("a tile"));
    one.times.push_back({tile, line.number<double>("microseconds")});
  } while (!line.at_end());
  return one;
}

void read_line(Line line, const device::DeviceFacts& facts, device::Calibration& made) {
  const auto what = line.word("a word");
  if (what == "device") return;  // for people: the key decides
  if (what == "key") {
    if (line.rest() != cache_key(facts)) line.refuse("is of another device, driver or version than ", facts.name);
    return;
  }
  if (what == "product") return void(made.products.push_back(times_of(line)));
  if (what == "rate") {
    const std::string kernel(line.word("a kernel"));
    made.rates.push_back({kernel, line.number<double>("flops")});
  } else if (what == "host_to_device") {
    made.host_to_device = line.number<double>("bytes a second");
  } else if (what == "device_to_host") {
    made.device_to_host = line.number<double>("bytes a second");
  } else if (what == "device_copy") {
    made.device_copy = line.number<double>("bytes a second");
  } else if (what == "submit") {
    made.submit_microseconds = line.number<double>("microseconds");
  } else {
    line.refuse("wanted device, key, host_to_device, device_to_host, device_copy, submit, rate or product, found '",
                what, "'");
  }
  if (!line.at_end()) line.refuse("'", line.rest(), "' is too much");
}

std::string read_whole(const std::filesystem::path& path) {
  // A pipe would never end.
  std::error_code none;
  const bool is_there = std::filesystem::exists(path, none);
  ir::require(!is_there || std::filesystem::is_regular_file(path, none), path.string(), ": is not a regular file");
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  ir::require(file.gcount() > 0, "cannot read ", path.string());
  text.resize(static_cast<std::size_t>(file.gcount()));
  ir::require(text.size() <= most_bytes, path.string(), ": is longer than ", most_bytes, " bytes");
  return text;
}

}  // namespace

std::string to_text(const device::Calibration& calibration, const device::DeviceFacts& facts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << head << "\ndevice " << facts.name << ", " << facts.driver_name << ' ' << facts.driver_info << "\nkey "
      << cache_key(facts) << '\n';
  const auto one = [&](std::string_view name, double x) {
    if (x > 0) out << name << ' ' << x << '\n';
  };
  one("host_to_device", calibration.host_to_device);
  one("device_to_host", calibration.device_to_host);
  one("device_copy", calibration.device_copy);
  one("submit", calibration.submit_microseconds);
  for (const device::ProductRate& rate : calibration.rates) out << "rate " << rate.kernel << ' ' << rate.flops << '\n';
  for (const device::TileTimes& times : calibration.products) {
    const device::ProductSize& size = times.size;
    out << "product " << times.kernel << ' ' << size.m << ' ' << size.k << ' ' << size.n << ' ' << size.batches;
    for (const device::TileTime& time : times.times) out << ' ' << time.tile << ' ' << time.microseconds;
    out << '\n';
  }
  return std::move(out).str();
}

device::Calibration calibration_of(std::string_view text, std::string_view file, const device::DeviceFacts& facts) {
  device::Calibration made;
  bool has_key = false;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (number == 1) {
      ir::require(line == head, file, ":1: wanted '", head, "'");
      continue;
    }
    has_key |= line.starts_with("key ");
    read_line(Line(line, file, number), facts, made);
  }
  ir::require(has_key, file, ": says not which device it is of: wanted a line 'key'");
  return made;
}

std::filesystem::path calibration_path(std::string_view option, const device::DeviceFacts& facts) {
  if (!option.empty()) return option == "off" ? std::filesystem::path() : std::filesystem::path(option);
  const auto folder = cache_folder({});
  return folder.empty() ? folder : folder / ("calibration-" + cache_key(facts) + ".txt");
}

device::Calibration load_calibration(std::string_view option, const device::DeviceFacts& facts) {
  const auto path = calibration_path(option, facts);
  std::error_code none;
  if (path.empty() || (option.empty() && !std::filesystem::exists(path, none))) return {};
  try {
    return calibration_of(read_whole(path), path.string(), facts);
  } catch (const ir::Error&) {
    if (!option.empty()) throw;
    return {};
  }
}

void store_calibration(const std::filesystem::path& path, const device::Calibration& calibration,
                       const device::DeviceFacts& facts) {
  const std::string text = to_text(calibration, facts);
  ir::require(store_whole(path, std::as_bytes(std::span(text))), "cannot write ", path.string());
}

}  // namespace plumb::gpu_vulkan::cache
