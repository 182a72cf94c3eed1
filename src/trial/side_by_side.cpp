#include "side_by_side.hpp"

#include <cmath>
#include <span>

#include "stages.hpp"

namespace microstep {
namespace {

Spec factor(double by) { return {"scale", {{"factor", Value(by)}}, {}}; }

// The product of all their lengths; 0 where one follows a schedule.
double product_of_lengths(const std::vector<const Spec*>& accumulators) {
  double product = 1;
  for (const Spec* accumulator : accumulators) {
    const double* k = std::get_if<double>(&accumulator->args.at("k").data);
    if (!k) return 0;
    product *= *k;
  }
  return product;
}

class SideBySide {
 public:
  SideBySide(const Spec& spec, const Spec& reference, const Window& due, const std::function<bool(const Spec&)>& same)
      : spec_(spec), reference_(reference), due_(due), same_(same), accumulators_(accumulators_of(spec)) {
    const double* length = std::get_if<double>(&due_.k.data);
    if (length) length_ = *length;
    if (auto stages = stages_of(spec); stages && length_ != 0) stages_ = std::move(*stages);
    links_ = links_in_order();
  }

  std::vector<std::string> causes() const {
    const Window sum{due_.k, "sum", due_.skips_as, due_.flush};
    std::vector<std::string> own, causes;
    for (const Spec* accumulator : accumulators_) own.push_back(reduction_of(*accumulator));
    const std::size_t early = links_that_run_early();
    if (early == 0 && !same_(behind(all("sum"), due_))) return causes;
    if (!same_(early > 0 ? with_factors_around(early) : behind(own, sum))) causes.emplace_back("sum-mean");
    if (early > 0 || gives_out_early()) causes.emplace_back("boundary");
    return causes;
  }

 private:
  // Those of the reference, in the places of the given ones; none where they cannot be told apart.
  std::vector<Spec> links_in_order() const {
    std::vector<Spec> due = links_of(reference_), own;
    if (due.size() == stages_.links.size()) return due;
    for (const Stage& stage : stages_.links) own.push_back(stage.link);
    return !own.empty() && same_(accumulated_over(chained(own), due_)) ? own : std::vector<Spec>{};
  }

  std::vector<std::string> all(const std::string& reduce) const { return {accumulators_.size(), reduce}; }

  // What comes out of the whole chain in a window, given on at its end.
  Spec behind(const std::vector<std::string>& reduce, const Window& window) const {
    return {"chain", {}, {skeleton_of(spec_, reduce, chained({})), accumulated_over(reference_, window)}};
  }

  Spec links(std::size_t from, std::size_t to) const {
    return chained(
        {links_.begin() + static_cast<std::ptrdiff_t>(from), links_.begin() + static_cast<std::ptrdiff_t>(to)});
  }

  // The first so many links in windows of that length, the others once in the common window.
  Spec in_parts(std::size_t count, double length) const {
    const Spec rest = accumulated_over(links(count, links_.size()), {Value(length_ / length), due_.reduce});
    std::vector<Spec> first(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(count));
    first.push_back(rest);
    return accumulated_over(chained(std::move(first)), {Value(length), due_.reduce, due_.skips_as, due_.flush});
  }

  // How many links it takes until some run in windows that end before the common one, and are another computation
  // there; 0 for none.
  std::size_t links_that_run_early() const {
    const std::span<const Stage> stages = stages_.links;
    for (std::size_t begin = 0, end = 0; end < links_.size(); begin = end) {
      const double period = stages[begin].period;
      while (end < links_.size() && stages[end].period == period) ++end;
      if (period == 1 || period >= length_ || std::fmod(length_, period) != 0) continue;
      if (same_(in_parts(0, period)) && is_other_early(begin, end)) return end;
    }
    return 0;
  }

  // What stands in front of all accumulators is no matter of their windows.
  bool is_other_early(std::size_t begin, std::size_t end) const {
    const double period = stages_.links[begin].period;
    return !same_(in_parts(end, period)) && (same_(in_parts(begin, period)) || has_state(links(begin, end)));
  }

  // All once in the common window, but by the factors of the given reductions: what comes to the first links is the
  // mean of their own windows if they divide by its length, and their updates add up.
  Spec with_factors_around(std::size_t count) const {
    const Stage& last = stages_.links[count - 1];
    const double due = due_.reduce == "sum" ? 1 : last.period;
    std::vector<Spec> all = links_of(links(0, count));
    all.insert(all.begin(), factor(due / last.divisor));
    all.push_back(factor(last.divisor / stages_.divisor));
    all.insert(all.end(), links_.begin() + static_cast<std::ptrdiff_t>(count), links_.end());
    return accumulated_over(chained(std::move(all)), due_);
  }

  // Though all is reduced as due. The product of the lengths is a multiple of the common one, so that the factor is
  // exact.
  bool gives_out_early() const {
    if (due_.reduce == "sum") return !same_(skeleton_of(spec_, all("sum"), reference_));
    const double product = product_of_lengths(accumulators_);
    if (length_ == 0 || product == 0 || std::fmod(product, length_) != 0) return false;
    std::vector<Spec> inner = links_of(reference_);
    inner.insert(inner.begin(), factor(product / length_));
    return !same_(skeleton_of(spec_, all("mean"), chained(std::move(inner))));
  }

  const Spec& spec_;
  const Spec& reference_;
  const Window& due_;
  const std::function<bool(const Spec&)>& same_;
  std::vector<const Spec*> accumulators_;
  double length_ = 0;
  Stages stages_;
  std::vector<Spec> links_;
};

}  // namespace

std::vector<std::string> causes_side_by_side(const Spec& spec, const Spec& reference, const Window& due,
                                             const std::function<bool(const Spec&)>& same) {
  return SideBySide(spec, reference, due, same).causes();
}

}  // namespace microstep
