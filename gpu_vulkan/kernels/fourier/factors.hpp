#pragma once

#include <cstdint>
#include <vector>

/// Factorisations of the lengths of transforms: factors of steps, radices of passes.
namespace plumb::gpu_vulkan::kernels::fourier {

/// So many factors of a length, each of no more than `most`, about equal where there are such; none where there are
/// none above 1.
std::vector<std::int64_t> factors_of(std::int64_t length, std::int64_t most, int count);

/// The radices of a workgroup's passes for a length of primes up to 7: as few as there can be, 2 to 10, 12, 14, 15 and
/// 16, beyond 8192 points 32, too, which takes twice the registers. Of as few, the ones whose sum is least.
std::vector<std::uint32_t> radices_of(std::int64_t length);

/// How long lines are that Bluestein's algorithm transforms, of no fewer points than `least`: of those up to `most`
/// the ones that cost least, else the shortest ones.
std::int64_t length_of_chirped(std::int64_t least, std::int64_t most);

}  // namespace plumb::gpu_vulkan::kernels::fourier
