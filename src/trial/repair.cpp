#include "repair.hpp"

#include <algorithm>

#include "due_window.hpp"
#include "microstep/bound/semantics.hpp"

namespace microstep {
namespace {

// What is linear and has no state of its own makes the same of each microstep and of their mean; so does decay in front
// of an accumulator, while the params stand still.
bool is_at_home_anywhere(const Outside& outside) {
  const std::string cause = cause_of_link(outside.link);
  return (cause == "micro-state" && !has_state(outside.link)) || (cause == "decay-form" && outside.before);
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
      if (nest_.side_by_side) side_by_side();
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
        const auto due = is_at_home_anywhere(link) ? std::nullopt : due_link(link.link);
        if (due) add(!same_(nested({}, Kept{i, {*due, link.before}})), cause_of_link(link.link));
      }
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

  // What comes out of the whole chain in a window, given on at its end, against the sum over the window by its length.
  void side_by_side() {
    const Spec scale = chained({});
    std::vector<std::string> sums(accumulators_.size(), "sum"), own;
    for (const Spec* accumulator : accumulators_) own.push_back(reduction_of(*accumulator));
    Window sum = due_;
    sum.reduce = "sum";
    const Spec rest = accumulated_over(reference_, due_), summed = accumulated_over(reference_, sum);
    if (!same_(Spec{"chain", {}, {skeleton_of(spec_, sums, scale), rest}})) return;
    add(!same_(Spec{"chain", {}, {skeleton_of(spec_, own, scale), summed}}), "sum-mean");
    add(gives_out_early(), "boundary");
  }

  // Means over lengths whose product is the window's make the due mean, though not at the window's end alone.
  bool gives_out_early() const {
    const double* length = std::get_if<double>(&due_.k.data);
    if (!length || accumulators_.size() > 10) return false;
    for (std::size_t chosen = 0; chosen < std::size_t{1} << accumulators_.size(); ++chosen) {
      double product = 1;
      std::vector<std::string> reduce(accumulators_.size(), "sum");
      for (std::size_t i = 0; i < reduce.size(); ++i) {
        const double* k = std::get_if<double>(&accumulators_[i]->args.at("k").data);
        if (!k) return false;
        if ((chosen >> i & 1) == 0) continue;
        reduce[i] = "mean";
        product *= *k;
      }
      if (product == (due_.reduce == "sum" ? 1 : *length)) return !same_(skeleton_of(spec_, reduce, reference_));
    }
    return false;
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
    result.causes = Search(accumulated.spec, reference.spec, due, equivalent, same).causes();
    break;
  }
  return result;
}

}  // namespace microstep
