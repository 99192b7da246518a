// Steps whose elements are elements of their input at other numbers: take, skip, shard, repeat.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "data/dataset_node.h"

namespace lockstep::data {

namespace {

class SelectionNode : public DatasetNode {
 public:
  using DatasetNode::DatasetNode;
  Spec spec() const override { return input().spec(); }
  std::optional<RowSource> rows() const override { return input().rows(); }
};

// Reads at most `count` elements.
class LimitedReader : public ElementReader {
 public:
  LimitedReader(std::unique_ptr<ElementReader> reader, int64_t count)
      : reader_(std::move(reader)), count_(count) {}
  std::optional<Element> Next() override {
    if (count_ <= 0) return std::nullopt;
    --count_;
    return reader_->Next();
  }

 private:
  std::unique_ptr<ElementReader> reader_;
  int64_t count_;
};

class TakeNode : public SelectionNode {
 public:
  TakeNode(NodePtr input, int64_t count)
      : SelectionNode("take(" + std::to_string(count) + ")", {std::move(input)}), count_(count) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<TakeNode>(inputs[0], count_);
  }
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (count_ < 0 || all == kUnknownCardinality) return all;
    return all == kInfiniteCardinality ? count_ : std::min(count_, all);
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (count_ < 0) return input().Read(pass, first);
    return std::make_unique<LimitedReader>(input().Read(pass, std::min(first, count_)),
                                           count_ - first);
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override { return input().Table(pass); }

 private:
  int64_t count_;
};

// Element i is element `offset + stride * i` of `table`.
class StridedTable : public ElementTable {
 public:
  StridedTable(std::unique_ptr<ElementTable> table, int64_t offset, int64_t stride)
      : table_(std::move(table)), offset_(offset), stride_(stride) {}
  Element At(int64_t index) override { return table_->At(offset_ + stride_ * index); }
  void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
    if (stride_ == 1) return table_->AppendRows(offset_ + begin, offset_ + end, rows);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = offset_ + stride_ * i;
      table_->AppendRows(place, place + 1, rows);
    }
  }

 private:
  std::unique_ptr<ElementTable> table_;
  int64_t offset_, stride_;
};

class SkipNode : public SelectionNode {
 public:
  SkipNode(NodePtr input, int64_t count)
      : SelectionNode("skip(" + std::to_string(count) + ")", {std::move(input)}), count_(count) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<SkipNode>(inputs[0], count_);
  }
  int64_t cardinality() const override {
    if (count_ < 0) return 0;
    const int64_t all = input().cardinality();
    return all < 0 ? all : std::max<int64_t>(0, all - count_);
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (count_ < 0) return std::make_unique<LimitedReader>(nullptr, 0);
    return input().Read(pass, first + count_);
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    return std::make_unique<StridedTable>(input().Table(pass), count_, 1);
  }

 private:
  int64_t count_;
};

class ShardReader : public ElementReader {
 public:
  ShardReader(std::unique_ptr<ElementReader> reader, int64_t shards)
      : reader_(std::move(reader)), shards_(shards) {}
  std::optional<Element> Next() override {
    if (begun_) Discard(*reader_, shards_ - 1);
    begun_ = true;
    return reader_->Next();
  }

 private:
  std::unique_ptr<ElementReader> reader_;
  int64_t shards_;
  bool begun_ = false;
};

class ShardNode : public SelectionNode {
 public:
  ShardNode(NodePtr input, int64_t shards, int64_t index)
      : SelectionNode("shard(" + std::to_string(index) + " of " + std::to_string(shards) + ")",
                      {std::move(input)}),
        shards_(shards),
        index_(index) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<ShardNode>(inputs[0], shards_, index_);
  }
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : all / shards_ + (index_ < all % shards_ ? 1 : 0);
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (indexable()) return DatasetNode::Read(pass, first);
    return std::make_unique<ShardReader>(input().Read(pass, index_ + first * shards_), shards_);
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    return std::make_unique<StridedTable>(input().Table(pass), index_, shards_);
  }

 private:
  int64_t shards_;
  int64_t index_;
};

// Passes of an endless repeat's input: pass k of the repeat has numbers of its own.
constexpr int64_t kEndlessPasses = int64_t{1} << 32;

Pass Later(Pass pass, int64_t count) { return {pass.number + count, pass.round + count}; }

class RepeatReader : public ElementReader {
 public:
  RepeatReader(const DatasetNode& input, Pass pass, int64_t passes, int64_t first)
      : input_(input), pass_(pass), left_(passes), first_(first) {}
  std::optional<Element> Next() override {
    while (left_ > 0) {
      if (reader_ == nullptr) {
        reader_ = input_.Read(pass_, std::exchange(first_, 0));
        any_ = false;
      }
      std::optional<Element> element = reader_->Next();
      if (element) {
        any_ = true;
        return element;
      }
      reader_.reset();
      if (!any_) break;  // an endless repeat of nothing ends
      pass_ = Later(pass_, 1);
      --left_;
    }
    left_ = 0;
    return std::nullopt;
  }

 private:
  const DatasetNode& input_;
  Pass pass_;
  int64_t left_, first_;
  std::unique_ptr<ElementReader> reader_;
  bool any_ = false;
};

class RepeatTable : public ElementTable {
 public:
  RepeatTable(const DatasetNode& input, Pass first_pass)
      : input_(input), first_pass_(first_pass), size_(Bound(input.cardinality())) {}
  Element At(int64_t index) override { return PassOf(index).At(index % size_); }
  void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
    while (begin < end) {
      const int64_t from = begin % size_;
      const int64_t count = std::min(end - begin, size_ - from);
      PassOf(begin).AppendRows(from, from + count, rows);
      begin += count;
    }
  }

 private:
  ElementTable& PassOf(int64_t index) {
    const Pass pass = Later(first_pass_, index / size_);
    if (table_ == nullptr || pass != pass_) {
      table_ = input_.Table(pass);
      pass_ = pass;
    }
    return *table_;
  }

  const DatasetNode& input_;
  Pass first_pass_;
  int64_t size_;
  Pass pass_ = 0;
  std::unique_ptr<ElementTable> table_;
};

class RepeatNode : public SelectionNode {
 public:
  RepeatNode(NodePtr input, int64_t count)
      : SelectionNode(count < 0 ? "repeat" : "repeat(" + std::to_string(count) + ")",
                      {std::move(input)}),
        count_(count) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<RepeatNode>(inputs[0], count_);
  }
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (count_ == 0 || all == 0) return 0;
    if (count_ < 0) return kInfiniteCardinality;
    int64_t product = all;
    if (all > 0 && __builtin_mul_overflow(all, count_, &product)) return Bound(-1);
    return product;
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    const Pass begin = FirstPass(pass);
    const int64_t passes = count_ < 0 ? kEndlessPasses : count_;
    const int64_t size = input().cardinality();
    if (size > 0) {
      const int64_t whole = first / size;
      return std::make_unique<RepeatReader>(input(), Later(begin, whole), passes - whole,
                                            first % size);
    }
    if (size == kInfiniteCardinality)
      return std::make_unique<RepeatReader>(input(), begin, passes, first);
    auto reader = std::make_unique<RepeatReader>(input(), begin, passes, 0);
    Discard(*reader, first);
    return reader;
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    return std::make_unique<RepeatTable>(input(), FirstPass(pass));
  }

 private:
  Pass FirstPass(Pass pass) const {
    const int64_t passes = count_ < 0 ? kEndlessPasses : std::max<int64_t>(count_, 1);
    return {pass.number * passes, pass.round * passes};
  }
  int64_t count_;
};

}  // namespace

NodePtr MakeTake(NodePtr input, int64_t count) {
  return std::make_shared<TakeNode>(std::move(input), count);
}

NodePtr MakeSkip(NodePtr input, int64_t count) {
  return std::make_shared<SkipNode>(std::move(input), count);
}

NodePtr MakeShard(NodePtr input, int64_t shards, int64_t index) {
  if (shards < 1 || index < 0 || index >= shards) {
    Refuse("shard", "the index must lie in [0, shards)",
           "index " + std::to_string(index) + " of " + std::to_string(shards) + " shards",
           "number the shards from 0");
  }
  return std::make_shared<ShardNode>(std::move(input), shards, index);
}

NodePtr MakeRepeat(NodePtr input, int64_t count) {
  return std::make_shared<RepeatNode>(std::move(input), count);
}

}  // namespace lockstep::data
