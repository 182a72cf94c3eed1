#include "repair.hpp"

#include <algorithm>

#include "due_window.hpp"
#include "factors.hpp"
#include "microstep/bound/semantics.hpp"
#include "side_by_side.hpp"

namespace microstep {
namespace {

// What is linear and has no state of its own makes the same of each microstep and of their mean or sum.
bool is_at_home_anywhere(const Spec& link) { return cause_of_link(link) == "micro-state" && !has_state(link); }

bool is_decay_in_front(const Outside& outside) { return outside.before && cause_of_link(outside.link) == "decay-form"; }

Spec decaying(Spec link, double times) {
  if (link.op == "masked")
    link.of[0] = decaying(Spec(link.of[0]), times);
  else
    link.args["weight_decay"] = Value(link.number("weight_decay") * times);
  return link;
}

// Every step from the given spec to the equivalent one is left out in turn; what is then another computation is a
// cause.
class Search {
 public:
  Search(const Spec& spec, const Spec& reference, const Window& due, const Spec& equivalent,
         const std::function<bool(const Spec&)>& same)
      : spec_(spec),
        reference_(chained(links_of(reference))),
        due_(due),
        same_(same),
        accumulators_(accumulators_of(spec)),
        nest_(nest_of(spec)) {
    if (nest_.levels.size() == 1) nest_.levels[0].accumulator = equivalent;
  }

  std::vector<std::string> causes() {
    formula();
    if (!accumulators_.empty()) {
      if (same_(nested({}))) {
        outside();
        if (!nest_.side_by_side) reductions();
      }
      if (nest_.side_by_side)
        for (const std::string& cause : causes_side_by_side(spec_, reference_, due_, same_)) add(true, cause);
      mask();
      partial_window();
    }
    std::ranges::sort(causes_);
    return causes_;
  }

 private:
  void add(bool needed, const std::string& cause) {
    if (needed && std::ranges::find(causes_, cause) == causes_.end()) causes_.push_back(cause);
  }

  void formula() {
    const Spec inner = chained(links_of(without_accumulators(spec_)));
    add(inner != reference_ && !same_(accumulated_over(inner, due_)), "formula");
  }

  // Within one another, only weights tell how many microbatches a mean stands for.
  std::string due_reduction() const {
    return due_.reduce == "sum" || nest_.levels.size() == 1 ? due_.reduce : "weighted";
  }

  Spec nested(const std::vector<std::string>& kept, const std::optional<Kept>& outside = std::nullopt) const {
    std::vector<std::string> reduce(nest_.levels.size(), due_reduction());
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!kept[i].empty()) reduce[i] = kept[i];
    std::vector<Spec> inner = links_of(reference_);
    if (outside)
      if (auto found = std::ranges::find(inner, outside->outside.link); found != inner.end()) inner.erase(found);
    return nested_over(nest_, chained(inner), reduce, outside);
  }

  // The link of the reference that stands for it: where only its hyper-parameters differ, that is the formula's matter.
  std::optional<Spec> due_link(const Spec& link) const {
    const std::vector<Spec> links = links_of(reference_);
    auto found = std::ranges::find(links, link);
    if (found == links.end()) found = std::ranges::find(links, link.op, &Spec::op);
    return found == links.end() ? std::nullopt : std::optional(*found);
  }

  void outside() {
    for (std::size_t i = 0; i < nest_.levels.size(); ++i)
      for (const Outside& link : nest_.levels[i].outside) {
        const auto due = is_at_home_anywhere(link.link) ? std::nullopt : due_link(link.link);
        if (!due) continue;
        const bool needed =
            is_decay_in_front(link) ? decays_otherwise(*due, i) : !same_(nested({}, Kept{i, {*due, link.before}}));
        add(needed, cause_of_link(link.link));
      }
  }

  // While the params stand still, decay in front of an accumulator is once in the mean of what it takes, and in their
  // sum as often as there are.
  bool decays_otherwise(const Spec& decay, std::size_t level) const {
    if (due_.reduce != "sum") return false;
    double times = 1;
    for (std::size_t i = level; i < nest_.levels.size(); ++i) {
      const double* k = std::get_if<double>(&nest_.levels[i].accumulator.args.at("k").data);
      if (!k) return !same_(nested({}, Kept{level, {decay, true}}));
      times *= *k;
    }
    std::vector<Spec> inner = links_of(reference_);
    std::ranges::replace(inner, decay, decaying(decay, times));
    return !same_(nested_over(nest_, chained(inner), std::vector<std::string>(nest_.levels.size(), "sum")));
  }

  // The reductions that the spec has, where they are these; the due ones elsewhere.
  bool differs_with(const std::function<bool(const std::string&)>& is_kept) const {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < nest_.levels.size(); ++i) {
      const std::string own = reduction_of(*accumulators_[i]);
      kept.push_back(is_kept(own) && own != due_reduction() ? own : "");
    }
    return std::ranges::any_of(kept, [](const std::string& own) { return !own.empty(); }) && !same_(nested(kept));
  }

  void reductions() {
    if (due_.reduce == "sum") return add(differs_with([](const std::string&) { return true; }), "sum-mean");
    add(differs_with([](const std::string& own) { return own == "sum"; }), "sum-mean");
    add(differs_with([](const std::string& own) { return own == "mean"; }), "token-weight");
  }

  // All as due but for the masks around accumulators: the leaves outside of them are updated in every microstep.
  void mask() {
    const Spec unmasked = without_masks(spec_);
    if (unmasked != spec_) add(same_(accumulating_as(unmasked)) && !same_(accumulating_as(spec_)), "mask-bypass");
  }

  Spec accumulating_as(const Spec& spec) const {
    if (!nest_.side_by_side)
      return skeleton_of(spec, std::vector<std::string>(accumulators_.size(), due_reduction()), reference_);
    const std::vector<std::string> sums(accumulators_.size(), "sum");
    return Spec{"chain", {}, {skeleton_of(spec, sums, chained({})), accumulated_over(reference_, due_)}};
  }

  void partial_window() {
    const Spec& accumulator = *accumulators_[0];
    if (accumulator.op != "multi_steps" || accumulator.text("partial") != "flush_by_k") return;
    Spec by_k = nest_.levels.size() == 1
                    ? accumulated_over(reference_, {accumulator.args.at("k"), due_.reduce, due_.skips_as, false})
                    : nested({});
    by_k.args["partial"] = "flush_by_k";
    add(!same_(by_k), "partial-window");
  }

  const Spec& spec_;
  Spec reference_;
  const Window& due_;
  const std::function<bool(const Spec&)>& same_;
  std::vector<const Spec*> accumulators_;
  Nest nest_;
  std::vector<std::string> causes_;
};

// The reduction of all accumulators, if they have the same.
std::string common_reduction(const Spec& spec) {
  const std::vector<const Spec*> accumulators = accumulators_of(spec);
  for (const Spec* accumulator : accumulators)
    if (reduction_of(*accumulator) != reduction_of(*accumulators[0])) return "";
  return accumulators.empty() ? "" : reduction_of(*accumulators[0]);
}

// A factor and a reduction that are both other ones than due may be the due reduction together: then neither is a
// cause.
std::vector<std::string> fewest_causes(const Spec& spec, const Spec& reference, const Window& due,
                                       const Spec& equivalent, const std::function<bool(const Spec&)>& same) {
  std::vector<std::string> causes = Search(spec, reference, due, equivalent, same).causes();
  if (std::ranges::find(causes, "formula") == causes.end()) return causes;
  auto take_fewer = [&](std::vector<std::string> other) {
    if (other.size() < causes.size()) causes = std::move(other);
  };
  const Spec own = chained(links_of(without_accumulators(spec)));
  Window own_reduction = due;
  own_reduction.reduce = common_reduction(spec);
  if (!own_reduction.reduce.empty() && own_reduction.reduce != due.reduce)
    if (const Spec alike = accumulated_over(own, own_reduction); same(alike))
      take_fewer(Search(spec, own, own_reduction, alike, same).causes());
  if (const Spec folded = with_factors_in_reductions(spec, due.reduce == "sum"); folded != spec)
    take_fewer(Search(folded, reference, due, equivalent, same).causes());
  return causes;
}

std::string fallback_cause(const Semantics& semantics) {
  return !semantics.differences.empty() && semantics.differences.front().is_count ? "time-index" : "formula";
}

}  // namespace

Repair causes_against(const Plan& accumulated, const Plan& reference,
                      const std::vector<std::vector<std::int64_t>>& windows, const Semantics& decided) {
  auto same = [&](const Spec& spec) {
    Plan plan = accumulated;
    plan.spec = spec;
    return decide({plan, reference, windows}).verdict == Sameness::same;
  };
  Plan flat = accumulated, flat_reference = reference;
  flat.spec = flattened(accumulated.spec);
  flat_reference.spec = flattened(reference.spec);
  Repair found = repair(flat, flat_reference, windows, same);
  if (found.causes.empty()) found.causes.push_back(fallback_cause(decided));
  return found;
}

std::string cause_of_link(const Spec& link) {
  static const std::vector<std::pair<std::string, std::string>> classes = {{"clip", "clip-place"},
                                                                           {"clip_by_global_norm", "clip-place"},
                                                                           {"add_decayed_weights", "decay-form"},
                                                                           {"scale_by_schedule", "schedule-count"}};
  if (link.op == "masked") return cause_of_link(link.of[0]);
  for (const auto& [op, cause] : classes)
    if (link.op == op) return cause;
  return "micro-state";
}

Repair repair(const Plan& accumulated, const Plan& reference, const std::vector<std::vector<std::int64_t>>& windows,
              const std::function<bool(const Spec&)>& same) {
  Repair result;
  if (windows.empty()) return result;
  for (const Window& due : due_windows(accumulated, reference, windows)) {
    const Spec equivalent = accumulated_over(chained(links_of(reference.spec)), due);
    if (!same(equivalent)) continue;
    result.equivalent = equivalent;
    result.causes = fewest_causes(accumulated.spec, reference.spec, due, equivalent, same);
    break;
  }
  return result;
}

}  // namespace microstep
