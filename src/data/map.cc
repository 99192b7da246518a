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

// Reads inputs in order and computes as many elements ahead as there are threads.
class ParallelMapReader : public ElementReader {
 public:
  ParallelMapReader(std::unique_ptr<ElementReader> input, const Function& function, int threads)
      : input_(std::move(input)), function_(function), threads_(threads) {}

  std::optional<Element> Next() override {
    while (input_ != nullptr && slots_.size() < threads_.size()) Begin();
    if (slots_.empty()) return std::nullopt;
    const std::shared_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    {
      std::unique_lock lock(mutex_);
      finished_.wait(lock, [&] { return slot->finished; });
    }
    // The thread that computed may hold the slot a little longer, but never the error.
    if (slot->error) std::rethrow_exception(std::exchange(slot->error, nullptr));
    return std::move(slot->element);
  }

 private:
  struct Slot {
    Element element;
    std::exception_ptr error;
    bool finished = false;  // guarded by mutex_
  };

  void Begin() {
    auto slot = std::make_shared<Slot>();
    try {
      std::optional<Element> element = input_->Next();
      if (!element) {
        input_.reset();
        return;
      }
      slot->element = std::move(*element);
    } catch (...) {
      slot->error = std::current_exception();
      slot->finished = true;
    }
    slots_.push_back(slot);
    if (!slot->finished) {
      threads_[turn_++ % threads_.size()].executor().Post([this, slot] { Compute(*slot); });
    }
  }

  void Compute(Slot& slot) {
    try {
      slot.element = function_(slot.element);
    } catch (...) {
      slot.error = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    slot.finished = true;
    finished_.notify_one();
  }

  std::unique_ptr<ElementReader> input_;
  Function function_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<std::shared_ptr<Slot>> slots_;
  size_t turn_ = 0;
  std::vector<base::EventThread> threads_;  // last: they end before what they use
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
    auto elements = input().Read(pass, first);
    if (options_.num_parallel > 1) {
      return std::make_unique<ParallelMapReader>(std::move(elements), function_,
                                                 options_.num_parallel);
    }
    return std::make_unique<MapReader>(std::move(elements), function_);
  }
  std::unique_ptr<ElementTable> Table(int64_t pass) const override {
    return std::make_unique<Mapped>(input().Table(pass), function_);
  }

 private:
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
