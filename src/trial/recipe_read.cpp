#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "masks.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/trial/check.hpp"
#include "microstep/trial/record.hpp"

namespace microstep {
namespace {

std::vector<std::string> texts(const Document& list) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < list.size(); ++i) result.push_back(list.element(i).text());
  return result;
}

std::string chosen(const Document& name, std::initializer_list<std::string_view> names) {
  for (std::string_view known : names)
    if (name.text() == known) return std::string(known);
  name.refuse("recipe.unknown-name", fmt::format("'{}' is not known here", name.text()),
              fmt::format("one of {}", fmt::join(names, ", ")));
}

Sameness sameness_named(const Document& name) {
  for (Sameness sameness : {Sameness::same, Sameness::different, Sameness::undecidable})
    if (name.text() == to_string(sameness)) return sameness;
  name.refuse("recipe.unknown-name", fmt::format("'{}' is neither same, different nor undecidable", name.text()),
              "write the one that was derived");
}

std::vector<Role> roles_named(const Document& list) {
  std::vector<Role> roles;
  for (const std::string& name : texts(list)) {
    auto role = role_from_name(name);
    if (!role)
      list.refuse("recipe.unknown-name", fmt::format("there is no role '{}'", name),
                  "accumulated, reference, interrupted, permuted, single or clean");
    roles.push_back(*role);
  }
  if (std::ranges::find(roles, Role::accumulated) == roles.end())
    list.refuse("recipe.no-accumulated", "every contract looks at the accumulated run", "list \"accumulated\", too");
  return roles;
}

constexpr std::string_view poison_keys[] = {"microstep", "value", "leaf", "element"};

std::vector<Poison> poisons(const Document& list) {
  std::vector<Poison> result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Document each = list.element(i);
    each.expect_only(poison_keys);
    Poison& poison = result.emplace_back(Poison{each.at("microstep").integer(), each.at("value").number(), {}, 0});
    if (auto v = each.find("leaf")) poison.leaf = v->text();
    if (auto v = each.find("element")) poison.element = v->integer();
  }
  return result;
}

constexpr std::string_view keys[] = {"id",      "why",     "source",  "flags", "spec",  "dtype",  "leaves",    "draw",
                                     "windows", "partial", "poisons", "roles", "plans", "broken", "behaviours"};

Recipe read_recipe(const Document& object) {
  object.expect_only(keys);
  Recipe recipe;
  recipe.id = object.at("id").text();
  recipe.why = object.at("why").text();
  recipe.source = object.at("source").text();
  recipe.spec = parse_spec(object.at("spec").text());
  recipe.plans = sameness_named(object.at("plans"));
  if (auto v = object.find("flags")) recipe.flags = texts(*v);
  if (auto v = object.find("dtype")) {
    auto dtype = dtype_from_name(v->text());
    if (!dtype)
      v->refuse("json.unknown-dtype", fmt::format("there is no dtype '{}'", v->text()),
                "float64, float32, bfloat16 or float16");
    recipe.dtype = *dtype;
  }
  if (auto v = object.find("leaves")) recipe.leaves = chosen(*v, {"plain", "edge", "one"});
  if (auto v = object.find("draw")) recipe.draw = chosen(*v, {"dyadic", "mixed", "scaled", "zero"});
  if (auto v = object.find("windows")) recipe.windows = v->integer();
  if (auto v = object.find("partial")) recipe.partial = v->integer();
  if (auto v = object.find("poisons")) recipe.poisons = poisons(*v);
  if (auto v = object.find("roles")) recipe.roles = roles_named(*v);
  if (auto v = object.find("broken")) recipe.broken = texts(*v);
  if (auto v = object.find("behaviours")) recipe.behaviours = texts(*v);
  return recipe;
}

// What can be wrong with a recipe beyond its words: ids that nothing has, plans that cannot be made, masks of no leaf.
void check_recipe(const Recipe& recipe) {
  for (const std::string& id : recipe.broken) contract(id);
  with_behaviours(recipe.spec, recipe.behaviours);
  const Experiment experiment = experiment_of(recipe, PortFacts{});
  unmatched_globs(recipe.spec, experiment.plans.at(Role::accumulated).params.layout());
}

// Errors that know no place in the file are said of the experiment.
Recipe checked_recipe(const Document& object) {
  return in_file(object.place(), [&] {
    Recipe recipe = read_recipe(object);
    check_recipe(recipe);
    return recipe;
  });
}

std::vector<Recipe> listed_recipes(const Document& document) {
  check_schema(document, "experiments");
  const Document list = document.at("experiments");
  std::vector<Recipe> recipes;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    recipes.push_back(checked_recipe(list.element(i)));
    if (!ids.insert(recipes.back().id).second)
      list.element(i).refuse("recipe.duplicate-id", fmt::format("two experiments are named '{}'", recipes.back().id),
                             "rename one of them");
  }
  return recipes;
}

}  // namespace

std::vector<Recipe> read_recipes(const std::string& text, const std::string& source) {
  return in_file(source, [&] { return listed_recipes(Document::parse(text, source)); });
}

}  // namespace microstep
