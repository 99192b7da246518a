// Steps over several inputs: zip and concatenate.

#include <algorithm>
#include <utility>

#include "data/dataset_node.h"
#include "data/rows.h"

namespace lockstep::data {

namespace {

std::string Names(const char* step, const std::vector<NodePtr>& inputs) {
  return std::string(step) + "(" + std::to_string(inputs.size()) + " datasets)";
}

class ZipNode : public DatasetNode {
 public:
  explicit ZipNode(const std::vector<NodePtr>& inputs)
      : DatasetNode(Names("zip", inputs), inputs) {}
  int64_t cardinality() const override {
    int64_t least = kInfiniteCardinality;
    for (const NodePtr& node : inputs()) {
      const int64_t count = node->cardinality();
      if (count == kUnknownCardinality) return count;
      if (least < 0 || (count >= 0 && count < least)) least = count;
    }
    return least;
  }
  Spec spec() const override {
    std::vector<TensorSpec> all;
    for (const NodePtr& node : inputs()) {
      const Spec specs = node->spec();
      if (!specs) return std::nullopt;
      all.insert(all.end(), specs->begin(), specs->end());
    }
    return all;
  }
  // Whole tensors beside each other, as FromTensorSlices of all of them would have them.
  std::optional<RowSource> rows() const override {
    RowSource all;
    for (const NodePtr& node : inputs()) {
      if (!node->inputs().empty()) return std::nullopt;
      const auto rows = node->rows();
      if (!rows) return std::nullopt;
      all.tensors.insert(all.tensors.end(), rows->tensors.begin(), rows->tensors.end());
    }
    return all;
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    auto reader = std::make_unique<Reader>();
    for (const NodePtr& node : inputs()) reader->parts.push_back(node->Read(pass, first));
    return reader;
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    auto table = std::make_unique<Zipped>();
    for (const NodePtr& node : inputs()) table->parts.push_back(node->Table(pass));
    return table;
  }

 private:
  struct Reader : ElementReader {
    std::optional<Element> Next() override {
      Element all;
      for (auto& part : parts) {
        std::optional<Element> element = part->Next();
        if (!element) return std::nullopt;
        all.insert(all.end(), element->begin(), element->end());
      }
      return all;
    }
    std::vector<std::unique_ptr<ElementReader>> parts;
  };
  struct Zipped : ElementTable {
    Element At(int64_t index) override {
      Element all;
      for (auto& part : parts) {
        const Element element = part->At(index);
        all.insert(all.end(), element.begin(), element.end());
      }
      return all;
    }
    void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
      parts[0]->AppendRows(begin, end, rows);
    }
    std::vector<std::unique_ptr<ElementTable>> parts;
  };
};

class ConcatenateNode : public DatasetNode {
 public:
  ConcatenateNode(NodePtr first, NodePtr second)
      : DatasetNode("concatenate", {std::move(first), std::move(second)}) {}
  int64_t cardinality() const override {
    const int64_t first = inputs()[0]->cardinality();
    const int64_t second = inputs()[1]->cardinality();
    if (first == kInfiniteCardinality || second == kInfiniteCardinality)
      return kInfiniteCardinality;
    return first < 0 || second < 0 ? kUnknownCardinality : first + second;
  }
  // Sizes that differ are unknown.
  Spec spec() const override {
    Spec first = inputs()[0]->spec();
    const Spec second = inputs()[1]->spec();
    if (!first || !second) return std::nullopt;
    for (size_t i = 0; i < first->size(); ++i) {
      Shape& shape = (*first)[i].shape;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != (*second)[i].shape[axis]) shape.set_dim(axis, Shape::kUnknown);
      }
    }
    return first;
  }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override {
    auto reader = std::make_unique<Reader>(*inputs()[1], pass);
    const int64_t size = inputs()[0]->cardinality();
    if (size >= 0 && first >= size) {
      reader->second = inputs()[1]->Read(pass, first - size);
      return reader;
    }
    if (size >= 0 || size == kInfiniteCardinality) {
      reader->first = inputs()[0]->Read(pass, first);
    } else {
      reader->first = inputs()[0]->Read(pass, 0);
      Discard(*reader, first);
    }
    return reader;
  }
  std::unique_ptr<ElementTable> Table(Pass pass) const override {
    auto table = std::make_unique<Joined>();
    table->size = Bound(inputs()[0]->cardinality());
    table->first = inputs()[0]->Table(pass);
    table->second = inputs()[1]->Table(pass);
    return table;
  }

 private:
  struct Reader : ElementReader {
    Reader(const DatasetNode& next, Pass of) : next_node(next), pass(of) {}
    std::optional<Element> Next() override {
      if (second == nullptr) {
        std::optional<Element> element = first->Next();
        if (element) return element;
        second = next_node.Read(pass, 0);
        first.reset();
      }
      return second->Next();
    }
    const DatasetNode& next_node;
    Pass pass;
    std::unique_ptr<ElementReader> first, second;
  };
  struct Joined : ElementTable {
    Element At(int64_t index) override {
      return index < size ? first->At(index) : second->At(index - size);
    }
    int64_t size = 0;
    std::unique_ptr<ElementTable> first, second;
  };
};

}  // namespace

NodePtr MakeZip(const std::vector<NodePtr>& inputs) {
  if (inputs.empty()) Refuse("zip", "there must be a dataset", "none", "name one or several");
  return std::make_shared<ZipNode>(inputs);
}

NodePtr MakeConcatenate(NodePtr first, NodePtr second) {
  const Spec a = first->spec();
  const Spec b = second->spec();
  if (a && b) {
    bool fits = a->size() == b->size();
    for (size_t i = 0; fits && i < a->size(); ++i) {
      fits = (*a)[i].dtype == (*b)[i].dtype && (*a)[i].shape.rank() == (*b)[i].shape.rank();
    }
    if (!fits) {
      Refuse("concatenate", "the elements must agree in components, dtypes and ranks",
             Describe(*a) + " and " + Describe(*b), "bring them to one form by Map");
    }
  }
  return std::make_shared<ConcatenateNode>(std::move(first), std::move(second));
}

}  // namespace lockstep::data
