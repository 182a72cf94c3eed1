#pragma once
// The dtypes of leaves by their names in safetensors.
#include <algorithm>
#include <array>
#include <string_view>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

struct StoredDtype {
  std::string_view name;
  Dtype dtype;
  std::int64_t bytes;
};

/// In the order in which the reference package writes them.
inline constexpr std::array<StoredDtype, 4> stored_dtypes{
    {{"F64", Dtype::float64, 8}, {"F32", Dtype::float32, 4}, {"BF16", Dtype::bfloat16, 2}, {"F16", Dtype::float16, 2}}};

inline const StoredDtype& stored(Dtype dtype) { return *std::ranges::find(stored_dtypes, dtype, &StoredDtype::dtype); }

}  // namespace microstep
