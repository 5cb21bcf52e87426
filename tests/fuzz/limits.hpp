#pragma once

// Limits on readers of strangers' files, whatever the bytes: 2 s and 1 GiB, children included.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace plumb::fuzz {

/// Traps where the work during its lifetime took more than 2 s of processor time, or a child more than 1 GiB beyond
/// the peak of this process. (The memory of the process itself is watched by libFuzzer: -rss_limit_mb.)
class WithinLimits {
 public:
  WithinLimits() : began_(seconds()) {}
  ~WithinLimits() {
    constexpr double most_seconds = 2;
    constexpr long most_kib = 1 << 20;
    const double spent = seconds() - began_;
    const long child = used(RUSAGE_CHILDREN).ru_maxrss, own = used(RUSAGE_SELF).ru_maxrss;
    if (spent <= most_seconds && child <= own + most_kib) return;
    std::fprintf(stderr, "ERROR: reading it took %.1f s, a child %ld KiB, this process %ld KiB\n", spent, child, own);
    __builtin_trap();
  }
  WithinLimits(const WithinLimits&) = delete;
  WithinLimits& operator=(const WithinLimits&) = delete;

 private:
  static rusage used(__rusage_who whose) {
    rusage found{};
    getrusage(whose, &found);
    return found;
  }
  static double seconds() {
    double sum = 0;
    for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN})
      for (const timeval& time : {used(whose).ru_utime, used(whose).ru_stime})
        sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    return sum;
  }

  const double began_;
};

/// A file of these bytes; the next one with the extension takes its place.
inline std::filesystem::path scratch_file(std::span<const std::uint8_t> bytes, const std::string& extension) {
  static const auto folder = std::filesystem::temp_directory_path();
  const auto path = folder / ("plumb_fuzz_" + std::to_string(getpid()) + extension);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) __builtin_trap();
  return path;
}

/// Counts what came of the inputs, and says so at the end.
struct Tally {
  std::uint64_t read = 0, refused = 0, contained = 0;  ///< contained: a library crashed, or did not end, in a child

  void refuse(const std::string& why) {
    const bool in_child = why.find("crashed") != why.npos || why.find("takes more than") != why.npos;
    ++(in_child ? contained : refused);
  }
  ~Tally() {
    std::fprintf(stderr, "inputs: %llu read, %llu refused, %llu contained in a child\n",
                 static_cast<unsigned long long>(read), static_cast<unsigned long long>(refused),
                 static_cast<unsigned long long>(contained));
  }
};

}  // namespace plumb::fuzz
