#include "repair.hpp"

#include <algorithm>

#include "accumulation.hpp"
#include "microstep/bound/semantics.hpp"

namespace microstep {
namespace {

// The window lengths as a number, or as a schedule in the emitted step.
Value lengths(const std::vector<std::vector<std::int64_t>>& windows) {
  std::vector<Value> schedule;
  double before = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    auto length = static_cast<double>(windows[i].size());
    if (length == before) continue;
    before = length;
    schedule.push_back(Value(std::vector<Value>{Value(static_cast<double>(i)), Value(length)}));
  }
  if (schedule.size() <= 1) return Value(before);
  return Value(std::move(schedule));
}

bool weights_differ(const Plan& plan, const std::vector<std::vector<std::int64_t>>& windows) {
  auto weight = [&](std::int64_t t) {
    const auto& batch = plan.batches[static_cast<std::size_t>(t)];
    if (plan.problem.op != "replay") return static_cast<double>(batch.size());
    double sum = 0;
    for (std::int64_t i : batch) sum += plan.given[static_cast<std::size_t>(i)].weight;
    return sum;
  };
  for (const auto& window : windows)
    for (std::int64_t t : window)
      if (weight(t) != weight(window[0])) return true;
  return false;
}

// A window of the whole run: the due lengths and reduction.
Window due_window(const Plan& accumulated, const Plan& reference,
                  const std::vector<std::vector<std::int64_t>>& windows) {
  const bool ragged = weights_differ(accumulated, windows);
  return {lengths(windows), reference.loss == Loss::sum ? "sum" : ragged ? "weighted" : "mean"};
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

  void outside() {
    for (std::size_t i = 0; i < nest_.levels.size(); ++i)
      for (const Outside& link : nest_.levels[i].outside)
        add(!same_(nested({}, Kept{i, link})), cause_of_link(link.link));
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
    const Spec rest = accumulated_over(reference_, due_), summed = accumulated_over(reference_, {due_.k, "sum"});
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

  // Leaves outside of the mask around an accumulator are not accumulated: their gradients add up.
  void mask() {
    if (spec_.op != "masked" || reference_.op != "masked") return;
    add(!same_(Spec{"masked", spec_.args, {accumulated_over(reference_.of[0], due_)}}), "sum-mean");
  }

  void partial_window() {
    const Spec& accumulator = *accumulators_[0];
    if (accumulator.op != "multi_steps" || accumulator.text("partial") != "flush_by_k") return;
    Spec by_k = nest_.levels.size() == 1
                    ? accumulated_over(reference_, {accumulator.args.at("k"), due_.reduce, due_.skips_as})
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

// The first that has a skip rule; only the outermost one leaves out microbatches as they come.
const Spec* skipping(const Spec& spec) {
  const std::vector<const Spec*> all = accumulators_of(spec);
  if (all.empty() || all[0]->op != "multi_steps" || all[0]->text("skip") == "never") return nullptr;
  return all[0];
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
  Repair found = repair(accumulated, reference, windows, same);
  if (found.causes.empty()) found.causes.push_back(fallback_cause(decided));
  return found;
}

std::string cause_of_link(const Spec& link) {
  static const std::vector<std::pair<std::string, std::string>> classes = {
      {"clip", "clip-place"}, {"clip_by_global_norm", "clip-place"}, {"scale_by_schedule", "schedule-count"}};
  for (const auto& [op, cause] : classes)
    if (link.op == op) return cause;
  return "micro-state";
}

Repair repair(const Plan& accumulated, const Plan& reference, const std::vector<std::vector<std::int64_t>>& windows,
              const std::function<bool(const Spec&)>& same) {
  Repair result;
  if (windows.empty()) return result;
  Window due = due_window(accumulated, reference, windows);
  due.skips_as = skipping(accumulated.spec);
  const Spec equivalent = accumulated_over(chained(links_of(reference.spec)), due);
  if (!same(equivalent)) return result;
  result.equivalent = equivalent;
  result.causes = Search(accumulated.spec, reference.spec, due, equivalent, same).causes();
  return result;
}

}  // namespace microstep
