#pragma once
// The reduced gradient of one leaf and the large batch's: as far apart as roundings that nobody saw may take them, or
// as a known fault? No number is typed in: what is off by d in one number of the leaf may be by d in each, so that two
// values are told apart where they are further from each other than twice that.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "window_gradients.hpp"

namespace microstep {

class GapBetween {
 public:
  /// Notes the largest difference in `result`, which hold_against completes.
  GapBetween(const std::function<Ball(std::size_t)>& due, std::span<const double> seen, LeafGap& result);

  /// Each number seen lies in the ball of the one that is due.
  bool is_none() const { return none_; }
  void hold_against(const std::vector<KnownFault>& faults);

 private:
  /// How far a fault is from what was seen at most; no fault where it makes no difference to this leaf.
  struct Held {
    const KnownFault* fault;
    Wide rest;
  };
  void note_largest(std::size_t index, const Wide& off);
  std::optional<Held> held(const KnownFault& fault) const;
  /// What was due times one factor, as a loss that is scaled makes it; the factor is that of the largest number.
  std::optional<double> factor() const;
  KnownFault multiple(double factor) const;
  /// The same, where it is that in each number.
  std::optional<double> common_factor() const;
  /// How many numbers are further apart than twice what was not seen, and what reducing may round.
  std::size_t told_apart(const KnownFault& a, const KnownFault& b, const Wide& room) const;
  bool are_same(const KnownFault& a, const KnownFault& b) const;
  /// It explains what was seen, and nothing else does.
  bool is_the_one(const Held& nearest, const std::vector<KnownFault>& faults) const;

  std::vector<Ball> due_;
  std::span<const double> seen_;
  LeafGap& result_;
  /// What was due, as if it were a fault.
  KnownFault none_of_them_;
  bool none_ = true, lost_ = false;
  Wide room_ = 0, size_ = 0;
  double radius_ = 0;
};

}  // namespace microstep
