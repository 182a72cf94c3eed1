#pragma once
// Writes JSON in a fixed layout: the same calls give the same bytes. Two spaces of indent a level; a container opened
// as `line`, and all within it, stays on one line.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/scalar/dtype.hpp"

namespace microstep {

class JsonWriter {
 public:
  enum class Form { lines, line };

  explicit JsonWriter(Form form = Form::lines) : form_(form) {}

  JsonWriter& open_object(Form form = Form::lines) { return open('{', form); }
  JsonWriter& open_array(Form form = Form::lines) { return open('[', form); }
  /// Closes the innermost object or array.
  JsonWriter& close();
  JsonWriter& key(std::string_view name);
  /// What is not UTF-8 becomes U+FFFD.
  JsonWriter& text(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& truth(bool value);
  /// Stands where a key has nothing to say, so that it is always there.
  JsonWriter& null();
  JsonWriter& texts(const std::vector<std::string>& values, Form form = Form::lines);
  /// Shortest decimal of the dtype; NaN and infinities as strings.
  JsonWriter& number(Dtype dtype, double value);
  JsonWriter& number(double value) { return number(Dtype::float64, value); }

  /// The document; with a newline at the end in the form `lines`.
  std::string finish();

 private:
  struct Level {
    char closing;
    bool inlined;
    bool empty = true;
  };
  JsonWriter& open(char opening, Form form);
  void before_value();
  void new_line();
  bool inlined() const { return form_ == Form::line || (!levels_.empty() && levels_.back().inlined); }

  Form form_;
  bool after_key_ = false;
  std::vector<Level> levels_;
  std::string out_;
};

/// The JSON string of the text, with quotes.
std::string json_text(std::string_view text);

}  // namespace microstep
