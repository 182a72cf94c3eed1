#include "property/law.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "microstep/data/error.hpp"
#include "microstep/draw/shrink.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/scalar/arithmetic.hpp"

namespace microstep::property {
namespace {

constexpr std::int64_t enough_to_tell = 500;

std::map<std::string, Share>& counted() {
  static std::map<std::string, Share> all;
  return all;
}

void count(const std::string& name, Ruling::Kind kind, double least_share) {
  Share& share = counted()[name];
  share.least = least_share;
  ++(kind == Ruling::Kind::beside ? share.beside : share.judged);
}

std::string described(const Difference& difference) {
  return fmt::format("window {}, {}[{}]: {} against {}", difference.window, difference.path, difference.index,
                     static_cast<double>(difference.accumulated.value),
                     static_cast<double>(difference.reference.value));
}

Ruling ruled(const Law& law, const Plan& plan) {
  try {
    return law(plan);
  } catch (const Undecidable& reason) {
    return undecided(reason.what());
  }
}

bool is_broken(const Law& law, const Plan& plan) { return ruled(law, plan).kind == Ruling::Kind::broken; }

std::string summary(const Plan& plan) {
  std::string leaves;
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i) {
    const Leaf& leaf = plan.params.leaf(i);
    leaves += fmt::format(" {} {} {}", leaf.name, to_string(leaf.shape), to_string(leaf.dtype));
  }
  return fmt::format("  spec: {}\n  leaves:{}\n  microsteps: {}, given gradients: {}", to_string(plan.spec), leaves,
                     plan.batches.size(), plan.given.size());
}

void write_file(const std::string& path, const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size())
    throw Error("property.not-written", "the failing plan could not be kept", path, "set MICROSTEP_FAILURES");
}

std::string keep(const std::string& name, const Plan& plan) {
  const std::filesystem::path folder = failures_folder();
  std::filesystem::create_directories(folder);
  const std::string text = encode_experiment({name, {{Role::accumulated, plan}}});
  const std::size_t mark = std::hash<std::string>()(text);
  const std::string path = (folder / fmt::format("{}-{:016x}.json", name, mark)).string();
  write_file(path, text);
  return path;
}

}  // namespace

Ruling same(const Semantics& semantics) {
  if (semantics.verdict == Sameness::undecidable) return undecided(semantics.reason);
  if (!semantics.differences.empty()) return broken(described(semantics.differences.front()));
  if (!semantics.unpaired.empty()) return broken("no counterpart of " + semantics.unpaired.front());
  return holds();
}

Ruling all_of(const std::vector<std::function<Ruling()>>& rulings) {
  for (const auto& ruling : rulings)
    if (Ruling found = ruling(); found.kind != Ruling::Kind::holds) return found;
  return holds();
}

const std::map<std::string, Share>& shares() { return counted(); }

std::string complaint(const Share& share) {
  const std::int64_t asked = share.judged + share.beside;
  if (asked < enough_to_tell || static_cast<double>(share.judged) >= share.least * static_cast<double>(asked))
    return "";
  return fmt::format("it judged {} of {} cases where {} of them were due", share.judged, asked, share.least);
}

std::string failures_folder() {
  const char* named = std::getenv("MICROSTEP_FAILURES");
  return named ? named : (std::filesystem::temp_directory_path() / "microstep-failures").string();
}

std::string failure_report(const std::string& name, const Plan& plan, const Law& law) {
  const Plan least = shrunk(plan, [&](const Plan& candidate) { return is_broken(law, candidate); });
  return fmt::format("the law {} is broken: {}\n{}\n  kept in {}", name, ruled(law, least).why, summary(least),
                     keep(name, least));
}

void obey(const std::string& name, const DrawnPlan& draw, const Law& law, double least_share) {
  constexpr int full_size = 100;
  const auto number = rc::gen::resize(full_size, rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
  const std::uint64_t seed = *number, which_case = *number;
  const Plan plan = draw(Stream(name, seed), which_case);
  const Ruling ruling = ruled(law, plan);
  if (ruling.kind == Ruling::Kind::undecided) RC_DISCARD(ruling.why);
  count(name, ruling.kind, least_share);
  if (ruling.kind == Ruling::Kind::broken)
    RC_FAIL(fmt::format("seed {}, case {}\n{}", seed, which_case, failure_report(name, plan, law)));
}

void obey(const std::string& name, const PlanLimits& limits, const Law& law, double least_share) {
  obey(
      name, [&](const Stream& stream, std::uint64_t which_case) { return draw_plan(stream, which_case, limits); },
      [&](const Plan& plan) { return is_within(limits, plan) ? law(plan) : beside("outside of the limits"); },
      least_share);
}

}  // namespace microstep::property
