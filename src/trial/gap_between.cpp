#include "gap_between.hpp"

#include <algorithm>

namespace microstep {

GapBetween::GapBetween(const std::function<Ball(std::size_t)>& due, std::span<const double> seen, LeafGap& result)
    : seen_(seen), result_(result), none_of_them_{{}, {}, [this](std::size_t i) { return due_[i].value; }} {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    due_.push_back(due(i));
    radius_ = std::max(radius_, due_[i].radius);
    if (wide::is_finite(due_[i].value)) size_ = std::max(size_, wide::abs(due_[i].value));
  }
  Wide widest = -1;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    none_ = none_ && contains(due_[i], seen[i]);
    const bool same = wide::same(due_[i].value, Wide(seen[i]));
    const Wide off = same ? Wide(0) : wide::abs(due_[i].value - Wide(seen[i]));
    lost_ = lost_ || !wide::is_finite(off);
    if (!(off > widest)) continue;
    room_ = widest = off;
    note_largest(i, off);
  }
}

void GapBetween::note_largest(std::size_t index, const Wide& off) {
  GradientGap& gap = result_.largest;
  gap.index = static_cast<std::int64_t>(index);
  gap.accumulated = due_[index];
  gap.large_batch = seen_[index];
  const double rounded = static_cast<double>(round_to(gap.dtype, due_[index].value));
  gap.ulps = ulp_distance(gap.dtype, rounded, seen_[index]);
  gap.relative = off == 0 ? 0 : static_cast<double>(off / size_);
}

std::size_t GapBetween::told_apart(const KnownFault& a, const KnownFault& b, const Wide& room) const {
  const Wide least = 2 * (room + Wide(radius_));
  std::size_t count = 0;
  for (std::size_t i = 0; i < due_.size(); ++i) count += wide::abs(a.value(i) - b.value(i)) > least;
  return count;
}

bool GapBetween::are_same(const KnownFault& a, const KnownFault& b) const {
  for (std::size_t i = 0; i < due_.size(); ++i)
    if (wide::abs(a.value(i) - b.value(i)) > Wide(due_[i].radius)) return false;
  return true;
}

std::optional<GapBetween::Held> GapBetween::held(const KnownFault& fault) const {
  if (are_same(fault, none_of_them_)) return std::nullopt;
  Held held{&fault, 0};
  for (std::size_t i = 0; i < due_.size(); ++i)
    held.rest = std::max(held.rest, wide::abs(fault.value(i) - Wide(seen_[i])));
  return held;
}

// Of one number anything is a multiple. Which of several factors it is does not matter, which microbatch does.
bool GapBetween::is_the_one(const Held& nearest, const std::vector<KnownFault>& faults) const {
  if (!(nearest.rest < room_) || told_apart(*nearest.fault, none_of_them_, nearest.rest) < 2) return false;
  if (const auto by = factor()) {
    const KnownFault other = multiple(*by);
    const std::optional<Held> own = held(other);
    if (own && told_apart(other, *nearest.fault, own->rest) > 1) return false;
  }
  return std::ranges::all_of(faults, [&](const KnownFault& other) {
    const bool alike = other.cause == nearest.fault->cause && other.cause != "boundary";
    return alike || are_same(other, *nearest.fault) || told_apart(other, *nearest.fault, nearest.rest) > 0;
  });
}

void GapBetween::hold_against(const std::vector<KnownFault>& faults) {
  result_.gap = lost_ ? Gap::blind : Gap::told;
  result_.words = lost_ ? "anything, since a number of one of them is not finite" : "";
  if (lost_) return;
  std::optional<Held> nearest;
  for (const KnownFault& fault : faults) {
    const std::optional<Held> own = held(fault);
    if (!own) continue;
    if (!nearest || own->rest < nearest->rest) nearest = own;
    if (result_.gap == Gap::blind || told_apart(fault, none_of_them_, room_) > 0) continue;
    result_.gap = Gap::blind;
    result_.words = fault.words;
  }
  if (result_.gap == Gap::blind) result_.factor = common_factor();
  if (!nearest || !is_the_one(*nearest, faults)) return;
  result_.gap = Gap::fault;
  result_.cause = nearest->fault->cause;
  result_.words = nearest->fault->words;
}

std::optional<double> GapBetween::factor() const {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < due_.size(); ++i)
    if (wide::abs(due_[i].value) > wide::abs(due_[largest].value)) largest = i;
  if (due_.empty() || due_[largest].value == 0) return std::nullopt;
  return static_cast<double>(Wide(seen_[largest]) / due_[largest].value);
}

KnownFault GapBetween::multiple(double factor) const {
  return {{}, {}, [this, factor](std::size_t i) { return Wide(factor) * due_[i].value; }};
}

std::optional<double> GapBetween::common_factor() const {
  const std::optional<double> by = factor();
  if (!by) return std::nullopt;
  const KnownFault all = multiple(*by);
  const std::optional<Held> own = held(all);
  return own && told_apart(all, none_of_them_, own->rest) > 1 ? by : std::nullopt;
}

}  // namespace microstep
