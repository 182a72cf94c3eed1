#include "microstep/kernels/policy.hpp"

#include <fmt/format.h>

namespace microstep {
namespace {

constexpr std::string_view order_names[] = {"sequential", "reversed", "pairwise", "blocked",
                                            "lanes",      "split_k",  "kahan"};
constexpr std::string_view matmul_names[] = {"loops", "eigen"};
constexpr std::string_view input_names[] = {"same", "tf32", "bfloat16"};
constexpr std::string_view tanh_names[] = {"scalar", "eigen"};
constexpr std::string_view conv_names[] = {"direct", "im2col", "winograd2", "winograd4", "auto"};

}  // namespace

std::string to_string(const Reduction& order) {
  const std::string_view name = order_names[static_cast<int>(order.order)];
  const std::string text = order.size > 0 ? fmt::format("{}({})", name, order.size) : std::string(name);
  return order.fused ? text + "+fma" : text;
}
std::string_view to_string(MatmulPath path) { return matmul_names[static_cast<int>(path)]; }
std::string_view to_string(MatmulInputs inputs) { return input_names[static_cast<int>(inputs)]; }
std::string_view to_string(TanhPath path) { return tanh_names[static_cast<int>(path)]; }
std::string_view to_string(ConvPath path) { return conv_names[static_cast<int>(path)]; }

}  // namespace microstep
