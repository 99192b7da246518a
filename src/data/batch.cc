#include <algorithm>
#include <utility>

#include "data/dataset_node.h"
#include "data/rows.h"

namespace lockstep::data {

namespace {

class BatchReader : public ElementReader {
 public:
  BatchReader(std::unique_ptr<ElementReader> input, std::vector<int64_t> sizes, bool drop,
              const char* where)
      : input_(std::move(input)),
        texts_(dynamic_cast<TextReader*>(input_.get())),
        sizes_(std::move(sizes)),
        drop_(drop),
        where_(where) {}
  std::optional<Element> Next() override {
    const int64_t size = sizes_[turn_++ % sizes_.size()];
    if (texts_ != nullptr) return NextTexts(size);
    std::vector<Element> elements;
    while (static_cast<int64_t>(elements.size()) < size) {
      std::optional<Element> element = input_->Next();
      if (!element) break;
      elements.push_back(std::move(*element));
    }
    if (elements.empty() || (drop_ && static_cast<int64_t>(elements.size()) < size))
      return std::nullopt;
    return StackElements(elements, where_);
  }

 private:
  std::optional<Element> NextTexts(int64_t size) {
    std::vector<std::string> texts;
    std::string text;
    while (static_cast<int64_t>(texts.size()) < size && texts_->NextText(text))
      texts.push_back(std::move(text));
    const auto count = static_cast<int64_t>(texts.size());
    if (count == 0 || (drop_ && count < size)) return std::nullopt;
    return Element{TensorOfTexts(texts, Shape{count})};
  }

  std::unique_ptr<ElementReader> input_;
  TextReader* texts_;  // the input, where its elements are strings
  std::vector<int64_t> sizes_;
  bool drop_;
  const char* where_;
  size_t turn_ = 0;
};

class BatchTable : public ElementTable {
 public:
  BatchTable(const DatasetNode& input, Pass pass, int64_t size)
      : table_(input.Table(pass)), count_(Bound(input.cardinality())), size_(size) {
    const auto rows = input.rows();
    if (rows && !rows->batched) tensors_ = rows->tensors;
  }
  Element At(int64_t index) override {
    const auto [begin, end] = Places(index);
    if (!tensors_.empty()) {
      std::vector<int64_t> rows;
      table_->AppendRows(begin, end, rows);
      Element batch;
      for (const Tensor& tensor : tensors_) batch.push_back(GatherRows(tensor, rows));
      return batch;
    }
    std::vector<Element> elements;
    for (int64_t i = begin; i < end; ++i) elements.push_back(table_->At(i));
    return StackElements(elements, "batch");
  }
  void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
    table_->AppendRows(Places(begin).first, Places(end - 1).second, rows);
  }

 private:
  std::pair<int64_t, int64_t> Places(int64_t index) const {
    return {index * size_, std::min(index * size_ + size_, count_)};
  }
  std::unique_ptr<ElementTable> table_;
  std::vector<Tensor> tensors_;
  int64_t count_, size_;
};

Spec Stacked(const Spec& rows, int64_t size) {
  if (!rows) return rows;
  std::vector<TensorSpec> specs;
  for (const TensorSpec& row : *rows) {
    Shape shape{size};
    for (const int64_t dim : row.shape.sizes()) shape.Append(dim);
    specs.push_back({row.dtype, shape});
  }
  return specs;
}

class BatchNode : public DatasetNode {
 public:
  BatchNode(NodePtr input, int64_t size, bool drop)
      : DatasetNode("batch(" + std::to_string(size) + (drop ? ", drop_remainder)" : ")"),
                    {std::move(input)}),
        size_(size),
        drop_(drop) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<BatchNode>(inputs[0], size_, drop_);
  }
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : all / size_ + (all % size_ != 0 && !drop_ ? 1 : 0);
  }
  Spec spec() const override { return Stacked(input().spec(), drop_ ? size_ : Shape::kUnknown); }
  std::optional<RowSource> rows() const override {
    auto rows = input().rows();
    if (!rows || rows->batched) return std::nullopt;
    rows->batched = true;
    return rows;
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    if (indexable() && rows()) return DatasetNode::Read(pass, first);
    return std::make_unique<BatchReader>(input().Read(pass, first * size_),
                                         std::vector<int64_t>{size_}, drop_, "batch");
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    return std::make_unique<BatchTable>(input(), pass, size_);
  }

 private:
  int64_t size_;
  bool drop_;
};

class UnbatchReader : public ElementReader {
 public:
  explicit UnbatchReader(std::unique_ptr<ElementReader> input) : input_(std::move(input)) {}
  std::optional<Element> Next() override {
    while (next_ >= size_) {
      std::optional<Element> element = input_->Next();
      if (!element) return std::nullopt;
      Begin(std::move(*element));
    }
    Element row;
    for (const Tensor& tensor : batch_) row.push_back(RowOf(tensor, next_));
    ++next_;
    return row;
  }

 private:
  void Begin(Element batch) {
    batch_ = std::move(batch);
    next_ = 0;
    size_ = batch_[0].rank() == 0 ? -1 : batch_[0].shape()[0];
    for (const Tensor& tensor : batch_) {
      if (tensor.rank() > 0 && tensor.shape()[0] == size_) continue;
      size_ = 0;
      Refuse("unbatch", "the components of a batch must have equal sizes along axis 0",
             Describe(SpecsOf(batch_)), "axis 0 numbers the examples");
    }
  }
  std::unique_ptr<ElementReader> input_;
  Element batch_;
  int64_t next_ = 0;
  int64_t size_ = 0;
};

Spec Rows(const Spec& batches) {
  if (!batches) return batches;
  std::vector<TensorSpec> specs;
  for (const TensorSpec& batch : *batches) {
    if (batch.shape.rank() == 0) return std::nullopt;
    specs.push_back({batch.dtype, Shape(batch.shape.sizes().subspan(1))});
  }
  return specs;
}

class UnbatchNode : public DatasetNode {
 public:
  explicit UnbatchNode(NodePtr input) : DatasetNode("unbatch", {std::move(input)}) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<UnbatchNode>(inputs[0]);
  }
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    const Spec batches = input().spec();
    if (all <= 0 || !batches || (*batches)[0].shape.rank() == 0) return all;
    const int64_t size = (*batches)[0].shape[0];
    return size == Shape::kUnknown ? kUnknownCardinality : all * size;
  }
  Spec spec() const override { return Rows(input().spec()); }
  std::string stream_reason() const override {
    return "how many rows an element has is known when it is read";
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    auto reader = std::make_unique<UnbatchReader>(input().Read(pass, 0));
    Discard(*reader, first);
    return reader;
  }
};

class RebatchNode : public DatasetNode {
 public:
  RebatchNode(NodePtr input, const std::vector<int64_t>& sizes, bool drop)
      : DatasetNode("rebatch", {std::move(input)}), sizes_(sizes), drop_(drop) {}
  NodePtr WithInputs(const std::vector<NodePtr>& inputs) const override {
    return std::make_shared<RebatchNode>(inputs[0], sizes_, drop_);
  }
  int64_t cardinality() const override {
    return input().cardinality() == kInfiniteCardinality ? kInfiniteCardinality
                                                         : kUnknownCardinality;
  }
  Spec spec() const override {
    return Stacked(Rows(input().spec()), drop_ && sizes_.size() == 1 ? sizes_[0] : Shape::kUnknown);
  }
  std::string stream_reason() const override {
    return "how many rows an element has is known when it is read";
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    auto rows = std::make_unique<UnbatchReader>(input().Read(pass, 0));
    auto reader = std::make_unique<BatchReader>(std::move(rows), sizes_, drop_, "rebatch");
    Discard(*reader, first);
    return reader;
  }

 private:
  std::vector<int64_t> sizes_;
  bool drop_;
};

void RequireSize(const char* where, int64_t size) {
  if (size >= 1) return;
  Refuse(where, "the size of a batch must be at least 1", std::to_string(size),
         "name the number of examples");
}

}  // namespace

NodePtr MakeBatch(NodePtr input, int64_t size, bool drop_remainder) {
  RequireSize("batch", size);
  return std::make_shared<BatchNode>(std::move(input), size, drop_remainder);
}

NodePtr MakeUnbatch(NodePtr input) { return std::make_shared<UnbatchNode>(std::move(input)); }

NodePtr MakeRebatch(NodePtr input, const std::vector<int64_t>& sizes, bool drop_remainder) {
  if (sizes.empty()) Refuse("rebatch", "there must be a size", "none", "name one or several");
  for (const int64_t size : sizes) RequireSize("rebatch", size);
  return std::make_shared<RebatchNode>(std::move(input), sizes, drop_remainder);
}

}  // namespace lockstep::data
