#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "data/read_ahead.h"

namespace lockstep::data {

namespace {

constexpr int64_t kFirstElements = 2;
constexpr int64_t kMostElements = 128;

// What the reader and the thread that reads ahead share. One piece of posted work reads one
// element.
struct Ahead {
  struct Item {
    std::optional<Element> element;
    std::exception_ptr error;
  };

  void Read() {
    if (closed) return;
    Item item;
    try {
      item.element = input->Next();
    } catch (...) {
      item.error = std::current_exception();
    }
    std::lock_guard lock(mutex);
    items.push_back(std::move(item));
    arrived.notify_one();
  }

  NodePtr node;  // which the input uses
  std::unique_ptr<ElementReader> input;
  std::atomic<bool> closed{false};
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Item> items;  // guarded by mutex
};

class AheadReader : public ElementReader {
 public:
  AheadReader(std::unique_ptr<ElementReader> input, NodePtr node, int64_t elements,
              base::Executor& executor)
      : ahead_(std::make_shared<Ahead>()), executor_(executor), tunes_(elements == kAutotune) {
    ahead_->node = std::move(node);
    ahead_->input = std::move(input);
    for (int64_t i = 0; i < (tunes_ ? kFirstElements : elements); ++i) Ask();
  }
  ~AheadReader() override { ahead_->closed = true; }

  std::optional<Element> Next() override {
    if (ended_) return std::nullopt;
    Ahead::Item item;
    bool waited = false;
    {
      std::unique_lock lock(ahead_->mutex);
      waited = ahead_->items.empty();
      ahead_->arrived.wait(lock, [&] { return !ahead_->items.empty(); });
      item = std::move(ahead_->items.front());
      ahead_->items.pop_front();
    }
    --asked_;
    ended_ = !item.element && !item.error;
    if (!ended_) Ask();
    if (tunes_ && !ended_) Tune(waited);
    if (item.error) std::rethrow_exception(item.error);
    return std::move(item.element);
  }

 private:
  void Ask() {
    ++asked_;
    executor_.Post([ahead = ahead_] { ahead->Read(); });
  }
  // Who waits after having found elements there has more than one kind of element to wait for.
  void Tune(bool waited) {
    if (!waited) {
      found_ = true;
    } else if (found_ && asked_ < kMostElements) {
      found_ = false;
      for (int64_t more = asked_; more > 0; --more) Ask();
    }
  }

  std::shared_ptr<Ahead> ahead_;
  base::Executor& executor_;
  bool tunes_;
  bool found_ = false;
  int64_t asked_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ElementReader> ReadAhead(std::unique_ptr<ElementReader> input, NodePtr node,
                                         int64_t elements, base::Executor& executor) {
  return std::make_unique<AheadReader>(std::move(input), std::move(node), elements, executor);
}

}  // namespace lockstep::data
