#include "ir/ops/cast.hpp"

#include "ir/convert.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Cast&, Call& call) {
  ir::visit_any(call.in(0).dtype(), [&]<class From>(From) {
    ir::visit_any(call.out(0).dtype(), [&]<class To>(To) {
      const auto x = call.in(0).as<From>();
      const auto y = call.out(0).as<To>();
      parallel_for(call.in(0).elements(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          y[i] = ir::convert_value<To>(x[i]);
      });
    });
  });
}

}  // namespace plumb::ref_cpu
