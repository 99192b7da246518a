// Steps that change when elements are read, not which: cache and prefetch.

#include <mutex>
#include <utility>

#include "base/event_loop.h"
#include "data/dataset_node.h"
#include "data/read_ahead.h"

namespace lockstep::data {

namespace {

class CacheNode : public DatasetNode {
 public:
  explicit CacheNode(NodePtr input) : DatasetNode("cache", {std::move(input)}) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<CacheNode>(inputs[0]);
  }
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override { return input().spec(); }
  std::optional<RowSource> rows() const override { return input().rows(); }

  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (indexable()) return DatasetNode::Read(pass, first);
    std::unique_lock lock(mutex_);
    if (full_) {
      return ReadTable(std::make_unique<Memory>(full_), first, static_cast<int64_t>(full_->size()));
    }
    lock.unlock();
    auto reader = std::make_unique<Filler>(*this, input().Read(pass, 0));
    Discard(*reader, first);
    return reader;
  }
  // Element by element, each kept when it is first read. All passes are the first one.
  std::unique_ptr<ElementTable> Table(Pass) const override {
    if (rows()) return input().Table(0);
    return std::make_unique<Kept>(*this, input().Table(0));
  }

 private:
  using Elements = std::vector<Element>;
  struct Memory : ElementTable {
    explicit Memory(std::shared_ptr<const Elements> all) : elements(std::move(all)) {}
    Element At(int64_t index) override { return (*elements)[index]; }
    std::shared_ptr<const Elements> elements;
  };
  // Only a pass that runs to its end fills the cache.
  struct Filler : ElementReader {
    Filler(const CacheNode& node, std::unique_ptr<ElementReader> reader)
        : cache(node), input(std::move(reader)) {}
    std::optional<Element> Next() override {
      std::optional<Element> element = input->Next();
      if (element) {
        read.push_back(*element);
      } else {
        std::lock_guard lock(cache.mutex_);
        if (!cache.full_) cache.full_ = std::make_shared<const Elements>(std::move(read));
        read.clear();
      }
      return element;
    }
    const CacheNode& cache;
    std::unique_ptr<ElementReader> input;
    Elements read;
  };
  struct Kept : ElementTable {
    Kept(const CacheNode& node, std::unique_ptr<ElementTable> table)
        : cache(node), input(std::move(table)) {}
    Element At(int64_t index) override {
      {
        std::lock_guard lock(cache.mutex_);
        if (index < static_cast<int64_t>(cache.kept_.size()) && !cache.kept_[index].empty())
          return cache.kept_[index];
      }
      Element element = input->At(index);
      std::lock_guard lock(cache.mutex_);
      if (index >= static_cast<int64_t>(cache.kept_.size())) cache.kept_.resize(index + 1);
      cache.kept_[index] = element;
      return element;
    }
    const CacheNode& cache;
    std::unique_ptr<ElementTable> input;
  };

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Elements> full_;  // guarded by mutex_
  mutable Elements kept_;                         // guarded by mutex_
};

class PrefetchNode : public DatasetNode {
 public:
  PrefetchNode(NodePtr input, int elements)
      : DatasetNode(elements == kAutotune ? "prefetch(as many as are needed)"
                                          : "prefetch(" + std::to_string(elements) + ")",
                    {std::move(input)}),
        elements_(elements) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<PrefetchNode>(inputs[0], elements_);
  }
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override { return input().spec(); }
  std::optional<RowSource> rows() const override { return input().rows(); }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    auto reader = input().Read(pass, first);
    if (elements_ == 0) return reader;
    return std::make_unique<OwnThread>(std::move(reader), inputs()[0], elements_);
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override { return input().Table(pass); }

 private:
  struct OwnThread : ElementReader {
    OwnThread(std::unique_ptr<ElementReader> input, NodePtr node, int elements)
        : ahead(ReadAhead(std::move(input), std::move(node), elements, thread.executor())) {}
    std::optional<Element> Next() override { return ahead->Next(); }
    base::EventThread thread;
    std::unique_ptr<ElementReader> ahead;  // ends first
  };
  int elements_;
};

}  // namespace

NodePtr MakeCache(NodePtr input) { return std::make_shared<CacheNode>(std::move(input)); }

NodePtr MakePrefetch(NodePtr input, int elements) {
  if (elements < 0 && elements != kAutotune) {
    Refuse("prefetch", "the number of elements must not be negative", std::to_string(elements),
           "0 reads nothing ahead, kAutotune a few");
  }
  return std::make_shared<PrefetchNode>(std::move(input), elements);
}

}  // namespace lockstep::data
