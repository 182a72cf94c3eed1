#pragma once
// A law says of every plan whether it holds. Where a drawn plan breaks one, the plan is shrunk as data, printed as a
// spec and kept as a vector file.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "microstep/data/semantics.hpp"
#include "microstep/draw/plans.hpp"

namespace microstep::property {

struct Ruling {
  enum class Kind { holds, broken, undecided, beside };
  Kind kind = Kind::holds;
  /// What is broken, or why nothing is decided or said.
  std::string why;
};
inline Ruling holds() { return {}; }
inline Ruling broken(std::string why) { return {Ruling::Kind::broken, std::move(why)}; }
inline Ruling undecided(std::string why) { return {Ruling::Kind::undecided, std::move(why)}; }
/// The law says nothing of such a plan.
inline Ruling beside(std::string why) { return {Ruling::Kind::beside, std::move(why)}; }
/// Same, and every node of the state has its counterpart.
Ruling same(const Semantics& semantics);
/// The first that is not `holds`.
Ruling all_of(const std::vector<std::function<Ruling()>>& rulings);

using Law = std::function<Ruling(const Plan&)>;

/// The folder of kept failures: MICROSTEP_FAILURES, or microstep-failures in the temporary folder.
std::string failures_folder();
/// Shrinks a plan that breaks the law, writes it into the folder, and says all of it in words.
std::string failure_report(const std::string& name, const Plan& plan, const Law& law);

/// How often a law said something of a plan, undecided ones left out, and how often it ought to.
struct Share {
  std::int64_t judged = 0;
  std::int64_t beside = 0;
  double least = 1;
};
/// Of every law that was obeyed in this process, by its name.
const std::map<std::string, Share>& shares();
/// Why a law says too little; empty where it does not, or where too few cases ran to tell.
std::string complaint(const Share& share);

/// One case of a property: (seed, case) from rapidcheck, the plan from room draw. Fails with failure_report; an
/// undecided case is discarded, and max_discard_ratio of RC_PARAMS limits how many may be. The law is asked only about
/// plans within the limits. At the program's end the law must have judged at least that share of what it was asked:
/// what the generator gives, all unless it is said.
void obey(const std::string& name, const PlanLimits& limits, const Law& law, double least_share = 1);
/// The same for plans that are drawn in another way.
using DrawnPlan = std::function<Plan(const Stream&, std::uint64_t which_case)>;
void obey(const std::string& name, const DrawnPlan& draw, const Law& law, double least_share = 1);

}  // namespace microstep::property
