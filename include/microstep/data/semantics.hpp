#pragma once
// The answer to the first question: are two plans the same computation?
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/tree.hpp"
#include "microstep/scalar/ball.hpp"

namespace microstep {

enum class Sameness : std::uint8_t { same, different, undecidable };
std::string_view to_string(Sameness sameness);

/// One number in which two runs differ. window and microstep count from 1 and are the accumulated run's; path is
/// the accumulated run's, such as `state/of[0]/mu/w`; index counts row-major in the leaf's shape.
struct Difference {
  std::int64_t window = 0;
  std::int64_t microstep = 0;
  std::string path;
  Shape shape;
  Dtype dtype = Dtype::float32;
  std::int64_t index = 0;
  bool is_count = false;
  Ball accumulated{};
  Ball reference{};
  /// Where the plan is of a part of each leaf only: the part's first number. index counts from there, shape is the
  /// leaf's.
  std::int64_t first = 0;
};

/// Both centres rounded to the dtype; steps of its grid between them. For counts their difference.
double ulps(const Difference& difference);

struct Semantics {
  Sameness verdict = Sameness::same;
  /// Windows judged, the one with the verdict included.
  std::int64_t windows = 0;
  /// The first differing number of every path in the first differing window, in the order counts, state, updates,
  /// params.
  std::vector<Difference> differences;
  /// Why it is undecidable; empty otherwise.
  std::string reason;
  /// Stateful nodes of one run that have no counterpart in the other, such as `state/of[1]`; they are not compared.
  std::vector<std::string> unpaired;
  /// The largest radius over the scale of its leaf that a compared ball had.
  double widest = 0;
};

/// A ball wider than this share of its leaf's scale decides nothing.
inline constexpr double undecidable_width = 1e-20;

}  // namespace microstep
