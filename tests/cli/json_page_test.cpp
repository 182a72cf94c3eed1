// docs/json.md names every key of every command's --json, its type, and whether it may be null.
#include <set>
#include <sstream>

#include "cli/command.hpp"
#include "microstep/golden/folder.hpp"
#include "microstep/json/document.hpp"
#include "trial/nudged.hpp"

namespace microstep::cli_test {
namespace {

using Kind = Document::Kind;
/// `contracts[].id` -> `text or null`; in the order of the page.
using Page = std::vector<std::pair<std::string, std::string>>;

// The rows of the table under `## COMMAND`.
Page page_of(const std::string& command) {
  std::istringstream lines(text_of(source("docs/json.md")));
  bool inside = false;
  Page page;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line == "## " + command;
    if (!inside || !line.starts_with("| `")) continue;
    const std::size_t key_end = line.find("` | "), type = key_end + 4;
    page.emplace_back(line.substr(3, key_end - 3), line.substr(type, line.find(" | ", type) - type));
  }
  return page;
}

std::vector<std::string> top_keys(const Page& page) {
  std::vector<std::string> keys;
  for (const auto& [key, type] : page)
    if (key.find_first_of(".[") == std::string::npos) keys.push_back(key);
  return keys;
}

std::string type_of(const Document& value) {
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::truth:
      return "truth";
    case Kind::text:
      return "text";
    case Kind::list:
      return "list";
    case Kind::object:
      return "object";
    default:
      return "number";
  }
}

using Seen = std::map<std::string, std::set<std::string>>;

// Every key with the types that it was seen with; `key[]` for the elements of a list.
void collect(const Document& value, const std::string& path, Seen& seen) {
  if (!path.empty()) seen[path].insert(type_of(value));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value.is(Kind::list))
      collect(value.element(i), path + "[]", seen);
    else
      collect(value.element(i), path.empty() ? value.key(i) : path + "." + value.key(i), seen);
  }
}

bool fits(const std::string& seen, std::string type) {
  const bool may_be_null = type.ends_with(" or null");
  if (may_be_null) type.resize(type.size() - std::string(" or null").size());
  if (seen == "null") return may_be_null;
  if (type.starts_with("list of ")) return seen == "list";
  return seen == (type == "integer" ? "number" : type);
}

std::string element_type(const Page& page, const std::string& list) {
  for (const auto& [key, type] : page)
    if (key == list && type.starts_with("list of ")) return type.substr(8);
  return "not a list";
}

std::vector<std::string> keys_of(const Document& object) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < object.size(); ++i) keys.push_back(object.key(i));
  return keys;
}

// Where one run of a command has other keys, or all of them together do not have each key of the page.
void expect_page(const std::string& command, const std::vector<Document>& runs) {
  const Page page = page_of(command);
  Seen seen;
  for (const Document& run : runs) {
    EXPECT_EQ(keys_of(run), top_keys(page)) << command;
    collect(run, "", seen);
  }
  for (const auto& [key, type] : page) {
    EXPECT_TRUE(seen.contains(key)) << command << " never prints " << key;
    for (const std::string& found : seen[key]) EXPECT_TRUE(fits(found, type)) << command << " " << key << ": " << found;
    seen.erase(key);
  }
  for (const auto& [key, types] : seen) {
    ASSERT_TRUE(key.ends_with("[]")) << command << ": the page has no " << key;
    for (const std::string& found : types)
      EXPECT_TRUE(fits(found, element_type(page, key.substr(0, key.size() - 2)))) << command << " " << key;
  }
}

Document run(std::vector<std::string> arguments, const std::vector<std::string>& port = {}) {
  arguments.emplace_back("--json");
  arguments.insert(arguments.end(), port.begin(), port.end());
  return Document::parse(microstep(arguments).out);
}

Document rounded_diff() {
  const Folder folder;
  const std::string file = source("golden/optax-0.2.6/sgd.multi_steps3.float32.scaled.json");
  const Golden golden = decode_golden(text_of(file), file);
  GoldenWriter(folder.file("before")).record(golden);
  GoldenWriter(folder.file("after")).record(nudged(golden).value());
  return run({"diff", folder.file("before"), folder.file("after")});
}

TEST(JsonPage, Compare) {
  expect_page("compare",
              {run({"compare", "multi_steps(adam(0.1), k=2)"}), run({"compare", "chain(adam(0.1), apply_every(2))"}),
               run({"compare", "chain(sgd(0.1), apply_every(2))"}),
               run({"compare", "multi_steps(masked(adam(0.1), mask=[\"w*\", v]), k=2)", "--against", "sgd(0.1)"}),
               run({"compare", "multi_steps(sgd(1e300), k=2)"})});
}

TEST(JsonPage, Judge) {
  const std::string trace = source("tests/json/recorded/numpy_loop.json");
  expect_page("judge", {run({"judge", trace}), run({"judge", trace, "--spec", "multi_steps(adam(0.2), k=2)"}),
                        run({"judge", trace, "--spec", "multi_steps(adamw(0.2, mask=[w, v]), k=2)"})});
}

TEST(JsonPage, JudgeAgainst) {
  const auto recorded = [](const std::string& name) { return source("tests/json/recorded/numpy_" + name + ".json"); };
  const Folder folder;
  const std::string without = folder.write("none.json", R"({"schema":"microstep/trace/1","initial":{"params":{"w":)"
                                                        R"({"dtype":"float32","shape":[1],"values":[1]}}},"steps":)"
                                                        R"([{"gradients":{},"updates":{},"params":{"w":[1]}}]})");
  expect_page("judge --against", {run({"judge", recorded("accumulated"), "--against", recorded("large_batch")}),
                                  run({"judge", recorded("accumulated"), "--against", recorded("large_batch_sum")}),
                                  run({"judge", recorded("accumulated"), "--against", without})});
}

TEST(JsonPage, CommandsWithoutInput) {
  expect_page("contracts", {run({"contracts"}), run({"contracts", "identity.k1"})});
  expect_page("demo", {run({"demo"})});
}

TEST(JsonPage, Floor) {
  const std::vector<std::string> child = {"--", "python3", source("tests/cli/children/forward.py")};
  expect_page("floor", {run({"floor", "linear(3, 1)", "--batch", "1,2", "--budget-abs", "1", "--budget-rel", "0"}),
                        run({"floor", "linear(2, 2)", "--batch", "1"}, child)});
}

TEST(JsonPage, CommandsOverGoldens) {
  const std::string older = source("golden/optax-0.2.6"), newer = source("golden/optax-0.2.8");
  expect_page("verify", {run({"verify", newer, "--filter", "sgd"}), run({"verify", newer, "--filter", "nothing"})});
  const Folder folder;
  for (const std::string id : {"a", "b"})
    run({"record", folder.file(id), "--experiments",
         folder.write(id + ".json",
                      R"x({"schema": "microstep/experiments/1", "experiments": [{"id": "a", "why": "w", "source": "s",
                      "plans": "same", "spec": "multi_steps()x" +
                          std::string(id == "a" ? "sgd(1)" : "sgd(0.5)") + R"x(, k=2)"}]})x")},
        {"--", MICROSTEP_BINARY, "serve"});
  expect_page("diff", {run({"diff", older, newer}), run({"diff", older, older}),
                       run({"diff", folder.file("a"), folder.file("b")}), rounded_diff()});
}

TEST(JsonPage, CommandsThatWriteGoldens) {
  const Folder folder;
  const std::string list = folder.write("list.json", R"x({"schema": "microstep/experiments/1", "experiments": [
  {"id": "a", "why": "the mean", "source": "by hand", "spec": "multi_steps(sgd(0.5), k=2)", "plans": "same"},
  {"id": "b", "why": "the mean", "source": "by hand", "spec": "multi_steps(sgd(0.5), k=2)", "plans": "different"}]})x");
  const std::string goldens = folder.file("goldens");
  const std::vector<std::string> port = {"--", MICROSTEP_BINARY, "serve"};
  expect_page("record", {run({"record", goldens, "--experiments", list}, port)});
  folder.write("goldens/a.json.new", replaced(text_of(goldens + "/a.json"), "\"same\"", "\"different\""));
  expect_page("accept", {run({"accept", goldens})});
}

}  // namespace
}  // namespace microstep::cli_test
