#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/cores.h"
#include "base/event_loop.h"
#include "data/dataset_node.h"

namespace lockstep::data {

namespace {

using Function = std::function<Element(const Element&)>;

class MapReader : public ElementReader {
 public:
  MapReader(std::unique_ptr<ElementReader> input, const Function& function)
      : input_(std::move(input)), function_(function) {}
  std::optional<Element> Next() override {
    std::optional<Element> element = input_->Next();
    if (element) element = function_(*element);
    return element;
  }

 private:
  std::unique_ptr<ElementReader> input_;
  Function function_;
};

// Computes as many elements ahead as there are threads, and gives them in order.
class ParallelReader : public ElementReader {
 public:
  explicit ParallelReader(int threads) : threads_(threads) {}

  std::optional<Element> Next() override {
    while (!ended_ && slots_.size() < threads_.size()) ended_ = !Begin();
    if (slots_.empty()) return std::nullopt;
    const std::shared_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    {
      std::unique_lock lock(mutex_);
      finished_.wait(lock, [&] { return slot->finished; });
    }
    // The thread that computed may hold the slot a little longer, but never the error. The input
    // ends here, on the thread that has read it: memory goes back where it came from.
    slot->input.clear();
    if (slot->error) std::rethrow_exception(std::exchange(slot->error, nullptr));
    return std::move(slot->element);
  }

 protected:
  struct Slot {
    Element input, element;
    std::exception_ptr error;
    bool finished = false;  // guarded by mutex_
  };

  /// Begins with the next element by `Add` or `Post`; false at the end.
  virtual bool Begin() = 0;
  void Add(std::shared_ptr<Slot> slot) { slots_.push_back(std::move(slot)); }
  /// Lets the next thread compute a slot; `compute` is told which thread that is.
  void Post(const std::shared_ptr<Slot>& slot, std::function<void(Slot&, size_t thread)> compute) {
    Add(slot);
    const size_t thread = turn_++ % threads_.size();
    threads_[thread].executor().Post([this, slot, thread, compute = std::move(compute)] {
      try {
        compute(*slot, thread);
      } catch (...) {
        slot->error = std::current_exception();
      }
      std::lock_guard lock(mutex_);
      slot->finished = true;
      finished_.notify_one();
    });
  }
  size_t num_threads() const { return threads_.size(); }
  /// To be called by destructors first: nothing is computed afterwards.
  void End() { threads_.clear(); }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<std::shared_ptr<Slot>> slots_;
  bool ended_ = false;
  size_t turn_ = 0;
  std::vector<base::EventThread> threads_;  // last: they end before what they use
};

// Inputs come from the front, one after another.
class StreamMapReader : public ParallelReader {
 public:
  StreamMapReader(std::unique_ptr<ElementReader> input, const Function& function, int threads)
      : ParallelReader(threads), input_(std::move(input)), function_(function) {}
  ~StreamMapReader() override { End(); }

 protected:
  bool Begin() override {
    auto slot = std::make_shared<Slot>();
    try {
      std::optional<Element> element = input_->Next();
      if (!element) return false;
      slot->input = std::move(*element);
    } catch (...) {
      slot->error = std::current_exception();
      slot->finished = true;
      Add(slot);
      return true;
    }
    Post(slot, [this](Slot& own, size_t) { own.element = function_(own.input); });
    return true;
  }

 private:
  std::unique_ptr<ElementReader> input_;
  Function function_;
};

// Inputs have numbers: each thread makes its own, with a table of its own.
class TableMapReader : public ParallelReader {
 public:
  TableMapReader(const DatasetNode& input, int64_t pass, int64_t first, const Function& function,
                 int threads)
      : ParallelReader(threads),
        function_(function),
        next_(first),
        end_(Bound(input.cardinality())) {
    for (int i = 0; i < threads; ++i) tables_.push_back(input.Table(pass));
  }
  ~TableMapReader() override { End(); }

 protected:
  bool Begin() override {
    if (next_ >= end_) return false;
    Post(std::make_shared<Slot>(), [this, index = next_++](Slot& own, size_t thread) {
      own.element = function_(tables_[thread]->At(index));
    });
    return true;
  }

 private:
  Function function_;
  int64_t next_, end_;
  std::vector<std::unique_ptr<ElementTable>> tables_;
};

class MapNode : public DatasetNode {
 public:
  MapNode(NodePtr input, Function function, const MapOptions& options)
      : DatasetNode(options.num_parallel > 1
                        ? "map(" + std::to_string(options.num_parallel) + " at a time)"
                        : "map",
                    {std::move(input)}),
        function_(std::move(function)),
        options_(options) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<MapNode>(inputs[0], function_, options_);
  }
  int64_t cardinality() const override { return input().cardinality(); }
  std::string stream_reason() const override {
    return options_.stateful ? "its function is stateful" : "";
  }
  std::unique_ptr<ElementReader> Read(int64_t pass, int64_t first) const override {
    if (options_.stateful) {
      auto reader = std::make_unique<MapReader>(input().Read(pass, 0), function_);
      Discard(*reader, first);
      return reader;
    }
    if (options_.num_parallel > 1 && input().indexable() && MayBeShared(input())) {
      return std::make_unique<TableMapReader>(input(), pass, first, function_,
                                              options_.num_parallel);
    }
    auto elements = input().Read(pass, first);
    if (options_.num_parallel > 1) {
      return std::make_unique<StreamMapReader>(std::move(elements), function_,
                                               options_.num_parallel);
    }
    return std::make_unique<MapReader>(std::move(elements), function_);
  }
  std::unique_ptr<ElementTable> Table(int64_t pass) const override {
    return std::make_unique<Mapped>(input().Table(pass), function_);
  }

 private:
  // Whether functions of steps before this one were said to run side by side, too.
  static bool MayBeShared(const DatasetNode& node) {
    const auto* map = dynamic_cast<const MapNode*>(&node);
    if (map != nullptr && map->options_.num_parallel == 1) return false;
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [](const NodePtr& input) { return MayBeShared(*input); });
  }

  struct Mapped : ElementTable {
    Mapped(std::unique_ptr<ElementTable> table, Function f)
        : input(std::move(table)), function(std::move(f)) {}
    Element At(int64_t index) override { return function(input->At(index)); }
    std::unique_ptr<ElementTable> input;
    Function function;
  };
  Function function_;
  MapOptions options_;
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
  return std::make_shared<MapNode>(std::move(input), std::move(function), own);
}

}  // namespace lockstep::data
