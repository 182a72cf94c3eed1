// What of an accumulator's inner runs in every microstep: links and parts of links, in front of it or behind it.
#include <algorithm>

#include "accumulation.hpp"
#include "hypothesis.hpp"
#include "parts.hpp"
#include "repair.hpp"

namespace microstep {
namespace {

using Causes = std::vector<std::string>;
using Links = std::vector<Spec>;

const Spec none{"chain", {}, {}};

Spec chain_of(Links links) {
  if (links.size() == 1) return links[0];
  return {"chain", {}, std::move(links)};
}

Links flat(const Links& links) {
  Links all;
  for (const Spec& link : links)
    if (link.op == "chain")
      all.insert(all.end(), link.of.begin(), link.of.end());
    else
      all.push_back(link);
  return all;
}

// Those of the parts that are not the same in every microstep as once a window. With other state that moves, a schedule
// is but a part of what does.
Causes causes_of(const Links& links) {
  Causes causes;
  for (const Spec& link : links)
    for (const Spec& part : parts_of(link)) {
      const std::string cause = cause_of_link(part);
      if (cause == "micro-state" && !has_state(part)) continue;
      if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
    }
  if (std::ranges::find(causes, "micro-state") != causes.end()) std::erase(causes, "schedule-count");
  return causes;
}

// The links of the inner, in two; a link may come apart.
struct Split {
  Links front, back;
  bool between_links = false;
};

std::vector<Split> splits_of(const Spec& inner) {
  std::vector<Split> splits;
  const Links links = links_within(inner);
  for (auto link = links.begin(); link != links.end(); ++link) {
    const Links parts = parts_of(*link);
    for (std::size_t i = 1; i <= parts.size(); ++i) {
      Split split{{links.begin(), link}, {}};
      if (i == parts.size()) {
        split.front.push_back(*link);
        split.between_links = true;
      } else {
        split.front.insert(split.front.end(), parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i));
        split.back.assign(parts.begin() + static_cast<std::ptrdiff_t>(i), parts.end());
      }
      split.back.insert(split.back.end(), link + 1, links.end());
      splits.push_back(std::move(split));
    }
  }
  return splits;
}

class Awake {
 public:
  explicit Awake(const Spec& multi_steps) : own_(multi_steps) {}

  std::vector<Hypothesis> all() {
    const Spec& inner = own_.of[0];
    const Causes whole = causes_of(links_within(inner));
    if (whole.empty()) return {};
    const std::vector<Split> splits = splits_of(inner);
    for (const Split& split : splits)
      if (split.between_links && !split.back.empty() && causes_of(split.back).empty()) add_front(split);
    front(inner, none, whole);
    back(none, {inner}, whole);
    for (const Split& split : splits) {
      if (split.back.empty()) continue;
      const bool rest = !causes_of(split.back).empty();
      if (rest) add_front(split);
      if (!causes_of(split.front).empty() && !causes_of({split.back.front()}).empty())
        back(chain_of(split.front), split.back, causes_of(split.back));
    }
    return std::move(found_);
  }

 private:
  // Links behind the last that is not the same in every microstep stay where they are.
  void add_front(const Split& split) {
    if (causes_of({split.front.back()}).empty()) return;
    front(chain_of(split.front), chain_of(split.back), causes_of(split.front));
  }

  Spec over(const Spec& inner) const { return {"multi_steps", own_.args, {inner}}; }

  void add(const Causes& causes, const Links& links, const std::string& kind) {
    std::string name = kind;
    for (const std::string& cause : causes) name += " " + cause;
    if (std::ranges::find(found_, name, &Hypothesis::kind) != found_.end()) name += " once more";
    found_.push_back({causes, chain_of(flat(links)), false, std::move(name)});
  }

  void front(const Spec& links, const Spec& rest, Causes causes) {
    add(causes, {links, over(rest)}, "front");
    Causes others = causes;
    std::erase(others, "schedule-count");
    const Links slow = slowed({links});
    if (!others.empty() && slow[0] != links) add(others, {slow[0], over(rest)}, "slow front");
    if (std::ranges::find(causes, "micro-state") == causes.end()) return;
    Spec otherwise = over(rest);
    otherwise.args["reduce"] = own_.text("reduce") == "sum" ? "mean" : "sum";
    causes.emplace_back("sum-mean");
    add(causes, {links, otherwise}, "front");
  }

  // A schedule may be read before the microstep is counted, or behind; or with the windows, while other links are
  // awake.
  void back(const Spec& rest, const Links& links, const Causes& causes) {
    auto behind = [&](const Links& awake) {
      Links all{over(rest)};
      all.insert(all.end(), awake.begin(), awake.end());
      return all;
    };
    add(causes, behind(links), "back");
    if (causes == Causes{"schedule-count"}) {
      if (const Links early = read_early(links); early != links) add(causes, behind(early), "early back");
      return;
    }
    Causes others = causes;
    std::erase(others, "schedule-count");
    if (const Links slow = slowed(links); slow != links) add(others, behind(slow), "slow back");
  }

  // Their schedules go on once a window.
  Links slowed(const Links& links) const {
    const double* k = std::get_if<double>(&own_.args.at("k").data);
    if (!k) return links;
    return with_steps(links, [k](double step) { return step * *k; });
  }
  static Links read_early(const Links& links) {
    return with_steps(links, [](double step) { return step - 1; });
  }

  const Spec& own_;
  std::vector<Hypothesis> found_;
};

}  // namespace

std::vector<Hypothesis> awake(const Spec& spec) {
  if (spec.op != "multi_steps") return {};
  return Awake(spec).all();
}

}  // namespace microstep
