#pragma once
// What a parsed text is made of.
#include <deque>
#include <string>
#include <vector>

#include "microstep/json/document.hpp"

namespace microstep {

/// text: of a string, or the characters of a number. keys: of an object's members, items their values. tensor: of a
/// tensor.
struct Document::Node {
  Kind kind = Kind::null;
  bool truth = false;
  std::string text;
  std::vector<std::string> keys;
  std::vector<Node> items;
  const OutsideTensor* tensor = nullptr;
};

struct Document::Root {
  std::string source;
  Node node;
  std::deque<OutsideTensor> tensors = {};
};

/// Throws as Document::parse.
Document::Node parse_nodes(std::string_view text, const std::string& source);

/// The JSON pointer from root to node.
std::string pointer_to(const Document::Node& root, const Document::Node* node);
/// `#/a~1b/3`: a key as a part of a JSON pointer (RFC 6901).
std::string pointer_part(const std::string& key);

}  // namespace microstep
