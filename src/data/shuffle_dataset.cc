#include <algorithm>
#include <utility>

#include "data/dataset_node.h"
#include "random/shuffle.h"
#include "runtime/op_seed.h"

namespace lockstep::data {

namespace {

// Orders up to this size are made at once, so that any place in them costs the same.
constexpr int64_t kLargestOrder = int64_t{1} << 27;

// The elements of `input` in the order of a window over their numbers.
class OrderTable : public ElementTable {
 public:
  OrderTable(std::unique_ptr<ElementTable> input, std::vector<int64_t> order)
      : input_(std::move(input)), order_(std::move(order)) {}
  Element At(int64_t index) override { return input_->At(order_[index]); }
  void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
    for (int64_t i = begin; i < end; ++i) input_->AppendRows(order_[i], order_[i] + 1, rows);
  }

 private:
  std::unique_ptr<ElementTable> input_;
  std::vector<int64_t> order_;
};

// The same, with memory for the window only: a step back begins again at the front.
class WindowTable : public ElementTable {
 public:
  WindowTable(std::unique_ptr<ElementTable> input, const random::SeedPair& pair, int64_t size,
              int64_t buffer)
      : input_(std::move(input)),
        pair_(pair),
        size_(size),
        buffer_(buffer),
        window_(pair, buffer) {}
  Element At(int64_t index) override { return input_->At(PlaceOf(index)); }
  void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = PlaceOf(i);
      input_->AppendRows(place, place + 1, rows);
    }
  }

 private:
  int64_t PlaceOf(int64_t index) {
    if (index < emitted_) {
      window_ = random::ShuffleWindow(pair_, buffer_);
      read_ = emitted_ = 0;
    }
    while (emitted_ <= index) Emit();
    return last_;
  }
  void Emit() {
    while (read_ < size_ && !window_.full()) {
      const uint64_t slot = window_.Push();
      if (slot >= slots_.size()) slots_.resize(slot + 1);
      slots_[slot] = read_++;
    }
    const auto [emit, refill] = window_.Pop();
    last_ = slots_[emit];
    std::swap(slots_[emit], slots_[refill]);
    ++emitted_;
  }

  std::unique_ptr<ElementTable> input_;
  random::SeedPair pair_;
  int64_t size_, buffer_;
  random::ShuffleWindow window_;
  std::vector<int64_t> slots_;
  int64_t read_ = 0;
  int64_t emitted_ = 0;
  int64_t last_ = 0;
};

// The window over a stream, with what is in it.
template <typename Item>
class ShuffledItems {
 public:
  ShuffledItems(const random::SeedPair& pair, int64_t buffer) : window_(pair, buffer) {}
  bool full() const { return window_.full(); }
  void Put(Item&& item) {
    const uint64_t slot = window_.Push();
    if (slot >= slots_.size()) slots_.resize(slot + 1);
    slots_[slot] = std::move(item);
  }
  bool Take(Item& item) {
    if (window_.empty()) return false;
    const auto [emit, refill] = window_.Pop();
    item = std::move(slots_[emit]);
    if (emit != refill) slots_[emit] = std::move(slots_[refill]);
    return true;
  }

 private:
  random::ShuffleWindow window_;
  std::vector<Item> slots_;
};

class StreamShuffle : public ElementReader {
 public:
  StreamShuffle(std::unique_ptr<ElementReader> input, const random::SeedPair& pair, int64_t buffer)
      : input_(std::move(input)), items_(pair, buffer) {}
  std::optional<Element> Next() override {
    while (input_ != nullptr && !items_.full()) {
      if (std::optional<Element> element = input_->Next()) {
        items_.Put(std::move(*element));
      } else {
        input_.reset();
      }
    }
    Element element;
    if (!items_.Take(element)) return std::nullopt;
    return element;
  }

 private:
  std::unique_ptr<ElementReader> input_;
  ShuffledItems<Element> items_;
};

class TextShuffle : public TextReader {
 public:
  TextShuffle(std::unique_ptr<TextReader> input, const random::SeedPair& pair, int64_t buffer)
      : input_(std::move(input)), items_(pair, buffer) {}
  bool NextText(std::string& text) override {
    while (input_ != nullptr && !items_.full()) {
      std::string read;
      if (input_->NextText(read)) {
        items_.Put(std::move(read));
      } else {
        input_.reset();
      }
    }
    return items_.Take(text);
  }

 private:
  std::unique_ptr<TextReader> input_;
  ShuffledItems<std::string> items_;
};

std::unique_ptr<ElementReader> ShuffleStream(std::unique_ptr<ElementReader> input,
                                             const random::SeedPair& pair, int64_t buffer) {
  if (auto* texts = dynamic_cast<TextReader*>(input.get())) {
    input.release();
    return std::make_unique<TextShuffle>(std::unique_ptr<TextReader>(texts), pair, buffer);
  }
  return std::make_unique<StreamShuffle>(std::move(input), pair, buffer);
}

class ShuffleNode : public DatasetNode {
 public:
  ShuffleNode(NodePtr input, int64_t buffer, const random::SeedPair& pair, bool reshuffle)
      : DatasetNode("shuffle(buffer " + std::to_string(buffer) +
                        (reshuffle ? ")" : ", the same in every pass)"),
                    {std::move(input)}),
        buffer_(buffer),
        pair_(pair),
        reshuffle_(reshuffle),
        seeds_(pair, reshuffle) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<ShuffleNode>(inputs[0], buffer_, pair_, reshuffle_);
  }
  bool moves_elements() const override { return true; }
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override { return input().spec(); }
  std::optional<RowSource> rows() const override { return input().rows(); }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (indexable()) return DatasetNode::Read(pass, first);
    auto reader = ShuffleStream(input().Read(pass, 0), seeds_.At(pass.number), buffer_);
    Discard(*reader, first);
    return reader;
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    const int64_t size = cardinality();
    auto table = input().Table(pass);
    if (size >= 0 && size <= kLargestOrder) {
      return std::make_unique<OrderTable>(
          std::move(table), random::ShuffleOrder(seeds_.At(pass.number), size,
                                                 std::max<int64_t>(1, std::min(buffer_, size))));
    }
    return std::make_unique<WindowTable>(std::move(table), seeds_.At(pass.number), Bound(size),
                                         buffer_);
  }

 private:
  int64_t buffer_;
  random::SeedPair pair_;
  bool reshuffle_;
  random::ReshuffleSeeds seeds_;
};

}  // namespace

NodePtr MakeShuffle(NodePtr input, int64_t buffer, const ShuffleOptions& options) {
  if (buffer < 1) {
    Refuse("shuffle", "the buffer must hold at least 1 element", std::to_string(buffer),
           "a buffer as large as the dataset shuffles it fully");
  }
  return std::make_shared<ShuffleNode>(std::move(input), buffer, runtime::NextOpSeed(options.seed),
                                       options.reshuffle_each_iteration);
}

}  // namespace lockstep::data
