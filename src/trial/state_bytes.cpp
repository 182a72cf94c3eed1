#include "state_bytes.hpp"

#include <cstring>

namespace microstep {
namespace {

// Lengths and values in the machine's own order, one behind the other.
class Writer {
 public:
  template <class T>
  void value(const T& x) {
    bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void text(std::string_view x) {
    value(x.size());
    bytes_.append(x);
  }
  template <class T>
  void values(std::span<const T> x) {
    bytes_.append(reinterpret_cast<const char*>(x.data()), x.size_bytes());
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T value() {
    T x;
    std::memcpy(&x, next(sizeof x).data(), sizeof x);
    return x;
  }
  /// Of what follows: each item takes a byte at least.
  std::size_t count() {
    const auto count = value<std::size_t>();
    if (count > rest_.size()) refuse("end too early");
    return count;
  }
  std::string text() { return std::string(next(count())); }
  template <class T>
  void values(std::span<T> to) {
    const std::string_view from = next(to.size_bytes());
    if (!to.empty()) std::memcpy(to.data(), from.data(), from.size());
  }
  void expect_end() const {
    if (!rest_.empty()) refuse("go on behind its end");
  }

 private:
  std::string_view next(std::size_t count) {
    if (count > rest_.size()) refuse("end too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  [[noreturn]] static void refuse(const std::string& what) {
    throw Error("state.bytes", "the bytes of a state " + what, "the state behind an interruption",
                "restore exactly what was written");
  }

  std::string_view rest_;
};

template <class S>
void write(Writer& out, const Tree<S>& tree) {
  out.value(tree.leaf_count());
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    out.text(tree.leaf(i).name);
    out.value(tree.leaf(i).shape.size());
    out.values(std::span<const std::int64_t>(tree.leaf(i).shape));
    out.value(tree.leaf(i).dtype);
  }
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    out.value(tree.presence(i));
    if (tree.is_dense(i)) out.values(tree.values(i));
  }
}

template <class S>
Tree<S> read_tree(Reader& in) {
  std::vector<Leaf> leaves(in.count());
  for (Leaf& leaf : leaves) {
    leaf.name = in.text();
    leaf.shape.resize(in.count());
    in.values(std::span<std::int64_t>(leaf.shape));
    leaf.dtype = in.value<Dtype>();
  }
  Tree<S> tree(make_layout(std::move(leaves)), Presence::zero);
  for (std::size_t i = 0; i < tree.leaf_count(); ++i) {
    tree.mark(i, in.value<Presence>());
    if (tree.is_dense(i)) in.values(tree.values(i));
  }
  return tree;
}

template <class S>
void write(Writer& out, const State<S>& state) {
  out.text(state.op);
  out.value(state.counts.size());
  for (const auto& [name, count] : state.counts) {
    out.text(name);
    out.value(count);
  }
  out.value(state.slots.size());
  for (const auto& [name, slot] : state.slots) {
    out.text(name);
    write(out, slot);
  }
  out.value(state.of.size());
  for (const State<S>& inner : state.of) write(out, inner);
}

template <class S>
State<S> read_state(Reader& in) {
  State<S> state;
  state.op = in.text();
  for (auto left = in.count(); left > 0; --left) {
    std::string name = in.text();
    state.counts.emplace_back(std::move(name), in.value<std::int64_t>());
  }
  for (auto left = in.count(); left > 0; --left) {
    std::string name = in.text();
    state.slots.emplace_back(std::move(name), read_tree<S>(in));
  }
  for (auto left = in.count(); left > 0; --left) state.of.push_back(read_state<S>(in));
  return state;
}

}  // namespace

template <class S>
std::string bytes_of(const State<S>& state) {
  Writer out;
  write(out, state);
  return out.take();
}

template <class S>
State<S> state_from(std::string_view bytes) {
  Reader in(bytes);
  State<S> state = read_state<S>(in);
  in.expect_end();
  return state;
}

template std::string bytes_of(const State<float>&);
template std::string bytes_of(const State<double>&);
template State<float> state_from(std::string_view);
template State<double> state_from(std::string_view);

}  // namespace microstep
