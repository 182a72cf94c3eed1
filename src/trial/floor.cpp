#include "microstep/trial/floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "floor_run.hpp"
#include "microstep/data/error.hpp"
#include "microstep/kernels/conv.hpp"
#include "microstep/train/model.hpp"

namespace microstep {
namespace {

constexpr std::int64_t most_rows_alone = 32;
constexpr std::int64_t most_numbers = 4'000'000;

void check_batches(const FloorRequest& request) {
  if (request.batches.empty()) throw Error("floor.batch", "no batch size is given", "--batch", "as in --batch 1,2,16");
  const std::int64_t row =
      std::max(element_count(input_shape(request.model)), element_count(output_shape(request.model)));
  for (std::int64_t batch : request.batches) {
    const std::string place = fmt::format("--batch {}", batch);
    if (batch < 1) throw Error("floor.batch", "a batch has at least one row", place, "use 1 or more");
    if (batch > most_numbers / row)
      throw Error("floor.too-large",
                  fmt::format("{} rows of {} numbers are more than {} numbers", batch, row, most_numbers), place,
                  "use a smaller batch, or a smaller model");
  }
}

void check_layers(const Spec& model) {
  for (const Layer& layer : layers_of(model)) {
    if (layer.spec.op != "conv2d") continue;
    const auto of = [&](const char* name) { return layer.spec.integer(name); };
    const std::int64_t kernel = of("kernel"), padding = (kernel - 1) / 2;
    check(
        kernels::ConvShape{1, of("images"), of("size"), of("size"), of("channels"), kernel, kernel, padding, padding});
  }
}

void check_budget(const std::optional<double>& budget, const char* option) {
  if (!budget || (*budget >= 0 && std::isfinite(*budget))) return;
  throw Error("floor.budget", fmt::format("a budget of {} says nothing", *budget), option,
              "give a finite number that is 0 or more");
}

void check_request(const FloorRequest& request) {
  check_layers(request.model);
  check_batches(request);
  check_budget(request.budget.absolute, "--budget-abs");
  check_budget(request.budget.relative, "--budget-rel");
  if (request.switches.size() < 2 || request.combine) return;
  throw Error("floor.two-switches", "two switches at once do not tell which of them did it",
              fmt::format("--switch {}={}", request.switches[1].first, request.switches[1].second),
              "give one at a time, or --combine");
}

class FloorTrial {
 public:
  explicit FloorTrial(const FloorRequest& request)
      : request_(request), base_(std::make_unique<FloorProcess>(request, FloorSetting{})) {
    const PortFacts& facts = base_->facts();
    if (facts.models.empty())
      throw Error("port.no-forward", "the port does not claim `forward`", request.port[0],
                  "let it answer `forward` and list its `models`, see docs/protocol.md");
    settings_ = settings_of(request, facts);
    floor_ = {request.model,
              request.dtype,
              request.seed,
              request.budget,
              facts.name,
              facts.runtime,
              request.batches,
              {},
              {},
              {},
              {}};
    largest_ = *std::ranges::max_element(request.batches);
    case_ = floor_case(request.model, request.dtype, request.seed, largest_);
    width_ = element_count(output_shape(request.model));
    plan_steps();
  }

  Floor take() {
    by_batch(*base_, as_it_is);
    if (!request_.switches.empty()) {
      FloorProcess switched(request_, settings_.front());
      by_batch(switched, settings_.front().name);
    }
    by_switch();
    rows_against_batched();
    note_budget();
    return std::move(floor_);
  }

 private:
  static constexpr const char* as_it_is = "as it is";

  void plan_steps() {
    const std::size_t layers = layers_of(request_.model).size();
    const std::size_t tables = request_.switches.empty() ? 1 : 2;
    all_ = tables * request_.batches.size() + settings_.size() + 1 + 2 * (1 + (layers > 1 ? layers : 0));
  }
  void step() {
    if (request_.done) request_.done(std::min(++done_, all_), all_);
  }

  // Without a run there is nothing to compare with.
  static Ran usable(Ran ran) {
    if (ran.trouble.empty()) return ran;
    if (ran.trouble.starts_with("skipped"))
      throw Error("port.no-forward", ran.trouble, "forward", "ask for a model and a dtype that the port claims");
    throw Error("port.forward-failed", ran.trouble, "forward", "mend the port; nothing else was asked of it");
  }

  std::span<const double> row_0(const Ran& ran) const {
    return std::span(ran.values).first(static_cast<std::size_t>(width_));
  }

  void by_batch(FloorProcess& process, const std::string& setting) {
    KnownBounds bounds(first_rows(case_, 1));
    std::vector<Ran> ran;
    ByBatch table{setting, {}, {}};
    for (std::int64_t batch : request_.batches) {
      ran.push_back(usable(process.batched(first_rows(case_, batch))));
      step();
      const Ran& last = ran.back();
      table.lines.push_back({fmt::format("{}", batch),
                             last.kernels,
                             distance(request_.dtype, row_0(last), row_0(ran.front()), width_),
                             bounds.distance_of(row_0(last)),
                             bounds.share_of(row_0(last)),
                             {}});
      table.groups.push_back(group_of(ran, table.groups));
    }
    floor_.by_batch.push_back(std::move(table));
  }

  // The group of the last one: that of the first with the same bits in row 0, or a new one.
  std::size_t group_of(const std::vector<Ran>& ran, const std::vector<std::size_t>& groups) const {
    for (std::size_t i = 0; i + 1 < ran.size(); ++i)
      if (distance(request_.dtype, row_0(ran.back()), row_0(ran[i]), width_).same_bits()) return groups[i];
    return groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
  }

  void by_switch() {
    KnownBounds bounds(case_);
    const Ran base = usable(base_->batched(case_));
    auto add = [&](const std::string& name, const Ran& ran) {
      FloorLine line{name, ran.kernels, {}, {}, {}, ran.trouble};
      if (ran.trouble.empty()) {
        line.between = distance(request_.dtype, ran.values, base.values, width_);
        line.to_exact = bounds.distance_of(ran.values);
        line.bound = bounds.share_of(ran.values);
      }
      floor_.by_switch.push_back(std::move(line));
      step();
    };
    add(as_it_is, base);
    for (const FloorSetting& setting : settings_) add(setting.name, FloorProcess(request_, setting).batched(case_));
  }

  void rows_against_batched() {
    add_rows(*base_, as_it_is);
    if (const auto plain = plain_setting(request_, settings_)) {
      FloorProcess process(request_, *plain);
      add_rows(process, plain->name);
    }
  }

  void add_rows(FloorProcess& process, const std::string& setting) {
    RowByRow rows{setting, {line_of(process, "whole model", case_)}};
    const std::vector<Forward> layers = layers_alone(case_);
    for (std::size_t i = 0; layers.size() > 1 && i < layers.size(); ++i)
      rows.lines.push_back(line_of(process, fmt::format("layer {}: {}", i + 1, to_string(layers[i].model)), layers[i]));
    floor_.row_by_row.push_back(std::move(rows));
  }

  FloorLine line_of(FloorProcess& process, const std::string& what, const Forward& forward) {
    const std::int64_t rows = std::min(largest_, most_rows_alone);
    const Ran batched = process.batched(forward);
    const Ran alone = batched.trouble.empty() ? process.alone(forward, rows) : batched;
    FloorLine line{what, batched.kernels, {}, {}, {}, alone.trouble};
    step();
    if (!alone.trouble.empty()) return line;
    KnownBounds bounds(forward);
    line.between = distance(request_.dtype, alone.values, batched.values, element_count(output_shape(forward.model)));
    line.to_exact = bounds.distance_of(batched.values);
    line.bound = bounds.share_of(batched.values);
    return line;
  }

  bool is_beyond(const FloorLine& line) const {
    const FloorBudget& budget = request_.budget;
    return (budget.absolute && line.between.absolute > *budget.absolute) ||
           (budget.relative && line.between.relative > *budget.relative);
  }

  void note_budget() {
    auto note = [&](const FloorLine& line, const std::string& what) {
      if (is_beyond(line)) floor_.beyond_budget.push_back(what);
    };
    for (const ByBatch& table : floor_.by_batch)
      for (const FloorLine& line : table.lines) note(line, fmt::format("batch {} ({})", line.what, table.setting));
    for (const FloorLine& line : floor_.by_switch) note(line, line.what);
    for (const RowByRow& rows : floor_.row_by_row)
      for (const FloorLine& line : rows.lines) note(line, fmt::format("{}, row by row ({})", line.what, rows.setting));
  }

  const FloorRequest& request_;
  std::unique_ptr<FloorProcess> base_;
  std::vector<FloorSetting> settings_;
  Floor floor_;
  Forward case_;
  std::int64_t largest_ = 1;
  std::int64_t width_ = 1;
  std::size_t done_ = 0;
  std::size_t all_ = 1;
};

}  // namespace

Floor floor(const FloorRequest& request) {
  check_request(request);
  return FloorTrial(request).take();
}

}  // namespace microstep
