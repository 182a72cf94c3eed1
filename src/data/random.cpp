#include "microstep/data/random.hpp"

#include <Random123/threefry.h>

namespace microstep {
namespace {

// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

}  // namespace

Stream::Stream(std::string_view name, std::uint64_t seed) : name_(hash(name)), seed_(seed) {}

std::uint64_t Stream::bits(std::uint64_t which_case, std::uint64_t index) const {
  return r123::Threefry2x64()({{which_case, index}}, {{seed_, name_}})[0];
}

std::int64_t Stream::below(std::int64_t count, std::uint64_t which_case, std::uint64_t index) const {
  __extension__ using Product = unsigned __int128;
  auto wide = static_cast<Product>(bits(which_case, index)) * static_cast<std::uint64_t>(count);
  return static_cast<std::int64_t>(wide >> 64);
}

double Stream::dyadic(double denominator, std::uint64_t which_case, std::uint64_t index) const {
  return static_cast<double>(static_cast<std::int8_t>(bits(which_case, index) >> 56)) / denominator;
}

}  // namespace microstep
