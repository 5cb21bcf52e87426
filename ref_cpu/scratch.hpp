#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::ref_cpu {

/// Memory that is taken and given back like a stack, by one thread at a time. It is kept for whoever takes some later.
class ScratchStack {
 public:
  static constexpr std::size_t alignment = ir::AlignedBytes::alignment;

  void* take(std::size_t bytes);
  /// The last that was taken can be taken again at once, all else once the scope ends that took it.
  void give_back(void* memory, std::size_t bytes) noexcept;

  struct Mark {
    std::size_t block = 0, used = 0, depth = 0;
  };
  Mark mark() const;
  void return_to(const Mark& mark) noexcept;

  /// The most that was in use at once.
  std::size_t peak() const { return peak_; }
  /// Makes room for so much in one block. Nothing is in use.
  void reserve(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t(alignment)); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> data;
    std::size_t bytes = 0, used = 0;
  };
  static Block block_of(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t at_ = 0;                ///< the block that is taken from
  std::size_t depth_ = 0, peak_ = 0;  ///< bytes in use
};

/// Memory that the kernels of one run at a time need besides their operands. Later runs find it there: nothing is
/// allocated once all sizes are known, which depend on the graph alone, also where loops are on any number of threads.
class Scratch {
 public:
  /// Taken from by kernels outside of their loops.
  ScratchStack& main() { return main_; }
  /// Taken from by the loops' chunks on one of the threads, which count from 0.
  ScratchStack& of_thread(std::size_t thread) { return threads_[thread]; }
  /// Between loops: there are so many threads.
  void provide(std::size_t threads);
  /// Between runs: makes room for what the largest chunk needed, on each thread.
  void settle();

 private:
  ScratchStack main_;
  std::deque<ScratchStack> threads_;
};

/// Where the calling thread takes scratch from; both are null outside of runs.
struct CurrentScratch {
  Scratch* run = nullptr;
  ScratchStack* stack = nullptr;
};
CurrentScratch current_scratch();

/// While it lives, the calling thread takes scratch from a stack, which then has what it had before.
class ScratchScope {
 public:
  explicit ScratchScope(const CurrentScratch& current);
  ~ScratchScope();
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  const CurrentScratch current_, before_;
  ScratchStack::Mark mark_;
};

/// Takes scratch, and memory of the heap outside of runs. `is_filled`: elements begin as zeros, as they do in any
/// vector.
template <class T, bool is_filled = true>
class ScratchAllocator {
 public:
  using value_type = T;
  template <class U>
  struct rebind {
    using other = ScratchAllocator<U, is_filled>;
  };

  ScratchAllocator() : stack_(current_scratch().stack) {}
  template <class U>
  ScratchAllocator(const ScratchAllocator<U, is_filled>& other) : stack_(other.stack()) {}

  template <class U>
  requires(!is_filled) void construct(U* place) noexcept { ::new (static_cast<void*>(place)) U; }

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(stack_ != nullptr ? stack_->take(bytes) : ::operator new(bytes, align));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (stack_ != nullptr)
      stack_->give_back(memory, count * sizeof(T));
    else
      ::operator delete(memory, align);
  }

  ScratchStack* stack() const { return stack_; }
  template <class U>
  bool operator==(const ScratchAllocator<U, is_filled>& other) const {
    return stack_ == other.stack();
  }

 private:
  static constexpr auto align = std::align_val_t(ScratchStack::alignment);
  ScratchStack* stack_;
};

/// A vector in scratch. It ends with the kernel, or with the chunk of a loop, in which it begins, and does not grow on
/// another thread.
template <class T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

/// A ScratchVector whose elements hold anything until they are written.
template <class T>
using ScratchRoom = std::vector<T, ScratchAllocator<T, false>>;

}  // namespace plumb::ref_cpu
