#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/cores.h"
#include "base/event_loop.h"
#include "data/dataset_node.h"

namespace lockstep::data {

namespace {

using Function = std::function<Element(const Element&)>;

class MapReader : public ElementReader {
 public:
  MapReader(std::unique_ptr<ElementReader> input, const ElementCounter& places,
            const Function& function)
      : input_(std::move(input)), places_(places), function_(function) {}
  std::optional<Element> Next() override {
    std::optional<Element> element = input_->Next();
    if (element) {
      const runtime::ElementScope scope(places_.Next());
      element = function_(*element);
    }
    return element;
  }

 private:
  std::unique_ptr<ElementReader> input_;
  ElementCounter places_;
  Function function_;
};

// Handing an element over to a thread costs microseconds: where functions take less, blocks of
// elements are handed over, as many as take about this long.
constexpr base::Duration kBlock = std::chrono::microseconds(100);
constexpr size_t kLargestBlock = 64;

// Computes blocks of elements ahead, one for each thread and one more, and gives them in order.
class ParallelReader : public ElementReader {
 public:
  ParallelReader(int threads, const ElementCounter& places) : places_(places), threads_(threads) {}

  std::optional<Element> Next() override {
    while (current_ == nullptr || current_->given == current_->items.size()) {
      while (!ended_ && blocks_.size() <= threads_.size()) Begin();
      if (blocks_.empty()) return std::nullopt;
      current_ = std::move(blocks_.front());
      blocks_.pop_front();
      Wait(*current_);
    }
    Item& item = current_->items[current_->given++];
    // The thread that computed may hold the block a little longer, but never the error. The input
    // ends here, on the thread that has read it: memory goes back where it came from.
    item.input.clear();
    if (item.error) std::rethrow_exception(std::exchange(item.error, nullptr));
    return std::move(item.element);
  }

 protected:
  struct Item {
    int64_t number = 0;  // in the pass
    Element input, element;
    std::exception_ptr error;
  };

  // Reads the next input into an item, or why there is none; false at the end.
  virtual bool Read(Item& item) = 0;
  // What the function makes of an input, on thread number `thread`.
  virtual Element Compute(const Item& item, size_t thread) = 0;
  size_t num_threads() const { return threads_.size(); }
  // To be called by destructors first: nothing is computed afterwards.
  void End() { threads_.clear(); }

 private:
  struct Block {
    std::vector<Item> items;
    size_t given = 0;
    base::Duration took{};
    bool finished = false;  // guarded by mutex_
  };

  // Reads a block and lets the next thread compute it. Who reads slowly has short blocks.
  void Begin() {
    auto block = std::make_shared<Block>();
    const base::Time begin = clock_.Now();
    do {
      Item& item = block->items.emplace_back();
      if (!Read(item)) {
        block->items.pop_back();
        ended_ = true;
      }
    } while (!ended_ && block->items.size() < size_ && clock_.Now() - begin < kBlock);
    if (block->items.empty()) return;
    blocks_.push_back(block);
    const size_t thread = turn_++ % threads_.size();
    threads_[thread].executor().Post([this, block, thread] { Run(*block, thread); });
  }

  void Run(Block& block, size_t thread) {
    const base::Time begin = clock_.Now();
    for (Item& item : block.items) {
      if (item.error) continue;
      const runtime::ElementScope scope(places_.At(item.number));
      try {
        item.element = Compute(item, thread);
      } catch (...) {
        item.error = std::current_exception();
      }
    }
    block.took = clock_.Now() - begin;
    std::lock_guard lock(mutex_);
    block.finished = true;
    finished_.notify_one();
  }

  void Wait(const Block& block) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return block.finished; });
    if (block.took < kBlock / 2) {
      size_ = std::min(kLargestBlock, std::max(size_, 2 * block.items.size()));
    } else if (block.took > 2 * kBlock) {
      size_ = std::max<size_t>(1, std::min(size_, block.items.size() / 2));
    }
  }

  const ElementCounter places_;
  const base::MonotonicClock clock_{};  // none of a thread's, which may have ended
  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Block> current_;
  size_t size_ = 1;  // of the next block
  bool ended_ = false;
  size_t turn_ = 0;
  std::vector<base::EventThread> threads_;  // last: they end before what they use
};

// Inputs come from the front, one after another.
class StreamMapReader : public ParallelReader {
 public:
  StreamMapReader(std::unique_ptr<ElementReader> input, const ElementCounter& places, int64_t first,
                  const Function& function, int threads)
      : ParallelReader(threads, places),
        input_(std::move(input)),
        function_(function),
        next_(first) {}
  ~StreamMapReader() override { End(); }

 protected:
  bool Read(Item& item) override {
    try {
      std::optional<Element> element = input_->Next();
      if (!element) return false;
      item.input = std::move(*element);
      item.number = next_++;
    } catch (...) {
      item.error = std::current_exception();
    }
    return true;
  }
  Element Compute(const Item& item, size_t) override { return function_(item.input); }

 private:
  std::unique_ptr<ElementReader> input_;
  Function function_;
  int64_t next_;
};

// Inputs have numbers: each thread makes its own, with a table of its own.
class TableMapReader : public ParallelReader {
 public:
  TableMapReader(const DatasetNode& input, Pass pass, const ElementCounter& places, int64_t first,
                 const Function& function, int threads)
      : ParallelReader(threads, places),
        function_(function),
        next_(first),
        end_(Bound(input.cardinality())) {
    for (int i = 0; i < threads; ++i) tables_.push_back(input.Table(pass));
  }
  ~TableMapReader() override { End(); }

 protected:
  bool Read(Item& item) override {
    if (next_ >= end_) return false;
    item.number = next_++;
    return true;
  }
  Element Compute(const Item& item, size_t thread) override {
    return function_(tables_[thread]->At(item.number));
  }

 private:
  Function function_;
  int64_t next_, end_;
  std::vector<std::unique_ptr<ElementTable>> tables_;
};

class MapNode : public DatasetNode {
 public:
  MapNode(NodePtr input, Function function, const MapOptions& options, int64_t step)
      : DatasetNode(options.num_parallel > 1
                        ? "map(" + std::to_string(options.num_parallel) + " at a time)"
                        : "map",
                    {std::move(input)}),
        function_(std::move(function)),
        options_(options),
        step_(step) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<MapNode>(inputs[0], function_, options_, step_);
  }
  int64_t cardinality() const override { return input().cardinality(); }
  std::string stream_reason() const override {
    return options_.stateful ? "its function is stateful" : "";
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (options_.stateful) {
      auto reader = std::make_unique<MapReader>(input().Read(pass, 0), Counter(pass), function_);
      Discard(*reader, first);
      return reader;
    }
    if (options_.num_parallel > 1 && input().indexable() && MayBeShared(input())) {
      return std::make_unique<TableMapReader>(input(), pass, Counter(pass), first, function_,
                                              options_.num_parallel);
    }
    auto elements = input().Read(pass, first);
    if (options_.num_parallel > 1) {
      return std::make_unique<StreamMapReader>(std::move(elements), Counter(pass), first, function_,
                                               options_.num_parallel);
    }
    return std::make_unique<MapReader>(std::move(elements), Counter(pass, first), function_);
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    return std::make_unique<Mapped>(input().Table(pass), Counter(pass), function_);
  }

 private:
  ElementCounter Counter(Pass pass, int64_t first = 0) const {
    return {input(), pass, step_, first};
  }
  // Whether functions of steps before this one were said to run side by side, too.
  static bool MayBeShared(const DatasetNode& node) {
    const auto* map = dynamic_cast<const MapNode*>(&node);
    if (map != nullptr && map->options_.num_parallel == 1) return false;
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [](const NodePtr& input) { return MayBeShared(*input); });
  }

  struct Mapped : ElementTable {
    Mapped(std::unique_ptr<ElementTable> table, const ElementCounter& counter, Function f)
        : input(std::move(table)), places(counter), function(std::move(f)) {}
    Element At(int64_t index) override {
      const Element element = input->At(index);
      const runtime::ElementScope scope(places.At(index));
      return function(element);
    }
    std::unique_ptr<ElementTable> input;
    ElementCounter places;
    Function function;
  };
  Function function_;
  MapOptions options_;
  int64_t step_;
};

}  // namespace

NodePtr MakeMap(NodePtr input, Function function, const MapOptions& options) {
  MapOptions own = options;
  if (own.num_parallel == kAutotune) own.num_parallel = base::Cores();
  if (own.num_parallel < 1) {
    Refuse("map", "at least 1 element must be computed at a time", std::to_string(own.num_parallel),
           "kAutotune takes the number of cores");
  }
  if (own.stateful) own.num_parallel = 1;
  return std::make_shared<MapNode>(std::move(input), std::move(function), own, NextFunctionStep());
}

}  // namespace lockstep::data
