// Faults that no transformation can commit: the loop around it does.
#include "support/liars/liar.hpp"

namespace microstep::liars {
namespace {

void add_to(Envelope& trace, std::int64_t row, std::string_view path, double amount) {
  std::size_t column = *trace.schema().find_column(path);
  trace.presence(row, column) = Presence::dense;
  for (Ball& x : trace.numbers(row, column)) x.value += amount;
}

/// From the first, held microstep on the params are a little further.
void move_params(Envelope& trace) {
  for (std::int64_t row = 1; row < trace.rows(); ++row) add_to(trace, row, "params/w", 0.25);
}

void note_lost_key(Envelope& trace) {
  trace.deviations.push_back({Deviation::Kind::keys, 2, "state/of[0]/nu/w", "the key is gone"});
}

/// The params of one microstep are not handed to the next: they stay what they were.
void keep_params(Envelope& trace) {
  std::size_t column = *trace.schema().find_column("params/w");
  for (std::int64_t row = 1; row < trace.rows(); ++row)
    for (std::size_t j = 0; j < trace.numbers(row, column).size(); ++j)
      trace.numbers(row, column)[j] = trace.numbers(0, column)[j];
}

constexpr std::string_view accumulated = "multi_steps(adam(0.1), k=2)";

const std::vector<Liar> rows = {
    {"params-moved-while-held",
     {},
     "api-state",
     accumulated,
     "the loop moves params in a held microstep",
     "",
     {},
     {},
     move_params},
    {"keys-lost", {}, "absent", accumulated, "the loop loses a key of the state", "", {}, {}, note_lost_key},
    {"params-not-handed-on", {}, "api-state", accumulated, "the loop forgets the new params", "", {}, {}, keep_params},
};

}  // namespace

std::vector<Liar> trace_liars() { return rows; }

}  // namespace microstep::liars
