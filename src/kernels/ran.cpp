#include "microstep/kernels/ran.hpp"

namespace microstep {
namespace {

template <class Path>
void add(std::map<std::string, std::string>& named, const char* kernel, unsigned ran, Path last) {
  std::string paths;
  for (unsigned path = 0; path <= static_cast<unsigned>(last); ++path) {
    if ((ran >> path & 1U) == 0) continue;
    if (!paths.empty()) paths += ", ";
    paths += to_string(static_cast<Path>(path));
  }
  if (!paths.empty()) named.emplace(kernel, paths);
}

}  // namespace

std::map<std::string, std::string> KernelsRan::named() const {
  std::map<std::string, std::string> named;
  add(named, "conv2d", conv_, ConvPath::winograd4);
  add(named, "matmul", matmul_, MatmulPath::eigen);
  add(named, "tanh", tanh_, TanhPath::eigen);
  return named;
}

}  // namespace microstep
