#pragma once
// The dtypes of leaves by their names in safetensors.
#include <array>
#include <string_view>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

struct StoredDtype {
  std::string_view name;
  Dtype dtype;
  std::int64_t bytes;
};

inline constexpr std::array<StoredDtype, 4> stored_dtypes{
    {{"F64", Dtype::float64, 8}, {"F32", Dtype::float32, 4}, {"F16", Dtype::float16, 2}, {"BF16", Dtype::bfloat16, 2}}};

}  // namespace microstep
