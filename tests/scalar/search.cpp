#include "scalar/search.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace microstep {
namespace {

double drawn_b(Numbers& numbers) {
  static const double common[] = {0.9, 0.999, 0.99, 0.95, 0.9999, 0.5, 0.75, 0.0, 0.1, 0x1.ff8p-1, 0x1.fffffep-1};
  return numbers.below(2) != 0 ? common[numbers.below(std::ssize(common))] : numbers.uniform();
}

std::int64_t drawn_t(Numbers& numbers) {
  return numbers.below(4) != 0 ? 1 + numbers.below(8) : 1 + numbers.below(3000);
}

void draw_radius(Attempt& attempt, int operand, Numbers& numbers) {
  double size = std::fabs(attempt.x[operand]);
  if (!std::isfinite(size)) return;
  if (numbers.below(4) == 0) size = numbers.uniform();
  attempt.radius[operand] = std::ldexp(size, -static_cast<int>(numbers.below(40)));
  attempt.shift[operand] = 2 * numbers.uniform() - 1;
}

Attempt drawn(const Setting& setting, Numbers& numbers) {
  Attempt attempt;
  attempt.x[0] = numbers.any();
  bool related = numbers.below(4) == 0;
  attempt.x[1] = related ? numbers.near(-attempt.x[0], 4) : numbers.any();
  if (related && numbers.below(2) != 0) attempt.x[1] = -attempt.x[1];
  attempt.b = drawn_b(numbers);
  attempt.t = drawn_t(numbers);
  for (int i = 0; setting.inside && i < 2; ++i)
    if (numbers.below(3) != 0) draw_radius(attempt, i, numbers);
  return attempt;
}

Attempt moved(Attempt attempt, const Setting& setting, Numbers& numbers) {
  int operand = static_cast<int>(numbers.below(2));
  switch (numbers.below(setting.inside ? 5 : 3)) {
    case 0:
      attempt.x[operand] =
          numbers.near(attempt.x[operand], static_cast<int>(numbers.below(facts(setting.dtype).significand)));
      break;
    case 1:
      attempt.b = drawn_b(numbers);
      break;
    case 2:
      attempt.t = drawn_t(numbers);
      break;
    case 3:
      attempt.shift[operand] = numbers.below(2) != 0 ? 1 : -1;
      break;
    default:
      draw_radius(attempt, operand, numbers);
  }
  return attempt;
}

Worst judged(const BallRule& rule, const Setting& setting, const Attempt& attempt) {
  if (!rule.admits(attempt)) return {-1, attempt};
  const Ball ball =
      setting.narrow ? rule.narrow(Balls<double>::rounding(setting.dtype, setting.precision, setting.flushes), attempt)
                     : rule.ball(Balls<Wide>::rounding(setting.dtype, setting.precision, setting.flushes), attempt);
  double share = 0;
  for (double result : rule.variants({setting.dtype, setting.flushes}, attempt))
    share = std::max(share, share_of_radius(ball, result));
  return {share, attempt};
}

Worst climbed(Worst best, const BallRule& rule, const Setting& setting, Numbers& numbers) {
  for (int step = 0; step < 600 && best.share <= 1; ++step) {
    Worst next = judged(rule, setting, moved(best.attempt, setting, numbers));
    if (next.share > best.share) best = next;
  }
  return best;
}

bool by_share(const Worst& a, const Worst& b) { return a.share > b.share; }

}  // namespace

Ball Attempt::ball(int i) const {
  if (radius[i] == 0) return exactly(x[i]);
  return {Wide(x[i]) + Wide(shift[i]) * Wide(radius[i]), radius[i] * (1 + 0x1p-40)};
}

Worst attack(const BallRule& rule, const Setting& setting, int tries) {
  Numbers numbers(setting.dtype);
  std::vector<Worst> found;
  for (int i = 0; i < tries; ++i) found.push_back(judged(rule, setting, drawn(setting, numbers)));
  const auto kept = found.begin() + std::min<std::ptrdiff_t>(8, std::ssize(found));
  std::partial_sort(found.begin(), kept, found.end(), by_share);
  found.erase(kept, found.end());
  for (Worst& start : found) start = climbed(start, rule, setting, numbers);
  return *std::min_element(found.begin(), found.end(), by_share);
}

std::string describe(const BallRule& rule, const Setting& setting, const Worst& worst) {
  const Attempt& a = worst.attempt;
  return fmt::format("{} in {}{}{}: share {} at x = {:a} ({} +- {:a}), {:a} ({} +- {:a}), b = {:a}, t = {}", rule.name,
                     to_string(setting.dtype), setting.flushes ? " flushing" : "", setting.narrow ? " by double" : "",
                     worst.share, a.x[0], a.shift[0], a.radius[0], a.x[1], a.shift[1], a.radius[1], a.b, a.t);
}

}  // namespace microstep
