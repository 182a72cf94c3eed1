#include "microstep/kernels/policy.hpp"

namespace microstep {
namespace {

constexpr std::string_view reduction_names[] = {"sequential", "reversed", "pairwise"};
constexpr std::string_view matmul_names[] = {"sequential", "eigen"};
constexpr std::string_view tanh_names[] = {"scalar", "eigen"};

}  // namespace

std::string_view to_string(Reduction order) { return reduction_names[static_cast<int>(order)]; }
std::string_view to_string(MatmulPath path) { return matmul_names[static_cast<int>(path)]; }
std::string_view to_string(TanhPath path) { return tanh_names[static_cast<int>(path)]; }

}  // namespace microstep
