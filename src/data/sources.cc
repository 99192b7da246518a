#include <numeric>
#include <utility>

#include "base/range_count.h"
#include "data/dataset_node.h"
#include "data/rows.h"
#include "random/philox.h"
#include "runtime/op_seed.h"

namespace lockstep::data {

namespace {

void RequireElements(const char* where, const std::vector<Tensor>& components) {
  if (components.empty())
    Refuse(where, "an element must have a component", "none", "give a tensor");
  for (const Tensor& tensor : components) {
    if (tensor.defined() && !tensor.is_symbolic()) continue;
    Refuse(where, "the tensors must have values", tensor.defined() ? "a symbolic one" : "none",
           "make datasets outside of traced functions");
  }
}

class TensorsNode : public DatasetNode {
 public:
  explicit TensorsNode(const Element& element)
      : DatasetNode("tensors(" + Describe(SpecsOf(element)) + ")", {}), element_(element) {}
  int64_t cardinality() const override { return 1; }
  Spec spec() const override { return SpecsOf(element_); }
  std::unique_ptr<ElementTable> Table(Pass) const override {
    return std::make_unique<Only>(element_);
  }

 private:
  struct Only : ElementTable {
    explicit Only(Element only) : element(std::move(only)) {}
    Element At(int64_t) override { return element; }
    Element element;
  };
  Element element_;
};

class SliceTable : public ElementTable {
 public:
  explicit SliceTable(const std::vector<Tensor>& tensors) : tensors_(tensors) {}
  Element At(int64_t index) override {
    Element element;
    for (const Tensor& tensor : tensors_) element.push_back(RowOf(tensor, index));
    return element;
  }
  void AppendRows(int64_t begin, int64_t end, std::vector<int64_t>& rows) override {
    const size_t size = rows.size();
    rows.resize(size + end - begin);
    std::iota(rows.begin() + size, rows.end(), begin);
  }

 private:
  std::vector<Tensor> tensors_;
};

class SlicesNode : public DatasetNode {
 public:
  explicit SlicesNode(const std::vector<Tensor>& tensors)
      : DatasetNode("slices(" + Describe(SpecsOf(tensors)) + ")", {}), tensors_(tensors) {}
  int64_t cardinality() const override { return tensors_[0].shape()[0]; }
  Spec spec() const override { return RowSpecs(tensors_); }
  std::optional<RowSource> rows() const override { return RowSource{tensors_, false}; }
  std::unique_ptr<ElementTable> Table(Pass) const override {
    return std::make_unique<SliceTable>(tensors_);
  }

 private:
  std::vector<Tensor> tensors_;
};

class IndexedNode : public DatasetNode {
 public:
  IndexedNode(std::string name, int64_t count, std::vector<TensorSpec> spec,
              std::function<Element(int64_t)> element)
      : DatasetNode(std::move(name), {}),
        count_(count),
        spec_(std::move(spec)),
        element_(std::move(element)) {}
  int64_t cardinality() const override { return count_; }
  Spec spec() const override { return spec_; }
  std::unique_ptr<ElementTable> Table(Pass) const override {
    return std::make_unique<Computed>(element_);
  }

 private:
  struct Computed : ElementTable {
    explicit Computed(std::function<Element(int64_t)> function) : element(std::move(function)) {}
    Element At(int64_t index) override { return element(index); }
    std::function<Element(int64_t)> element;
  };
  int64_t count_;
  std::vector<TensorSpec> spec_;
  std::function<Element(int64_t)> element_;
};

class GeneratorReader : public ElementReader {
 public:
  GeneratorReader(Dataset::Generator next, const std::vector<TensorSpec>& signature)
      : next_(std::move(next)), signature_(signature) {}
  std::optional<Element> Next() override {
    if (ended_) return std::nullopt;
    std::optional<Element> element = next_();
    ended_ = !element;
    if (element) Check(*element);
    ++read_;
    return element;
  }

 private:
  void Check(const Element& element) const {
    if (signature_.empty()) return;
    const std::vector<TensorSpec> got = SpecsOf(element);
    bool fits = got.size() == signature_.size();
    for (size_t i = 0; fits && i < got.size(); ++i) {
      fits =
          got[i].dtype == signature_[i].dtype && got[i].shape.CompatibleWith(signature_[i].shape);
    }
    if (fits) return;
    Refuse("from_generator", "the elements must fit the signature " + Describe(signature_),
           Describe(got) + " (element " + std::to_string(read_) + ")",
           "correct the generator or the signature");
  }

  Dataset::Generator next_;
  std::vector<TensorSpec> signature_;
  int64_t read_ = 0;
  bool ended_ = false;
};

class GeneratorNode : public DatasetNode {
 public:
  GeneratorNode(std::function<Dataset::Generator()> make, std::vector<TensorSpec> signature)
      : DatasetNode("generator", {}), make_(std::move(make)), signature_(std::move(signature)) {}
  int64_t cardinality() const override { return kUnknownCardinality; }
  Spec spec() const override { return signature_.empty() ? Spec() : Spec(signature_); }
  std::string stream_reason() const override { return "a generator is read from the front"; }
  std::unique_ptr<ElementReader> Read(Pass, int64_t first) const override {
    auto reader = std::make_unique<GeneratorReader>(make_(), signature_);
    Discard(*reader, first);
    return reader;
  }

 private:
  std::function<Dataset::Generator()> make_;
  std::vector<TensorSpec> signature_;
};

class RandomNode : public DatasetNode {
 public:
  explicit RandomNode(const random::SeedPair& pair) : DatasetNode("random", {}), pair_(pair) {}
  int64_t cardinality() const override { return kInfiniteCardinality; }
  Spec spec() const override { return std::vector<TensorSpec>{{DType::kInt64, Shape{}}}; }
  std::unique_ptr<ElementTable> Table(Pass) const override {
    return std::make_unique<Words>(pair_);
  }

 private:
  struct Words : ElementTable {
    explicit Words(const random::SeedPair& seeds) : pair(seeds), words(pair.stream()) {}
    Element At(int64_t index) override {
      if (static_cast<uint64_t>(index) != words.position())
        words = random::WordReader(pair.stream(), index);
      return {Scalar<int64_t>(words.Next())};
    }
    random::SeedPair pair;
    random::WordReader words;
  };
  random::SeedPair pair_;
};

}  // namespace

NodePtr MakeTensors(const Element& components) {
  RequireElements("from_tensors", components);
  return std::make_shared<TensorsNode>(components);
}

NodePtr MakeSlices(const std::vector<Tensor>& components) {
  constexpr const char* kWhere = "from_tensor_slices";
  RequireElements(kWhere, components);
  for (const Tensor& tensor : components) {
    if (tensor.rank() > 0 && components[0].rank() > 0 &&
        tensor.shape()[0] == components[0].shape()[0])
      continue;
    Refuse(kWhere, "the components must have equal sizes along axis 0",
           Describe(SpecsOf(components)), "axis 0 numbers the examples");
  }
  return std::make_shared<SlicesNode>(components);
}

NodePtr MakeRange(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) Refuse("range", "the step must not be 0", "0", "count by 1 or by -1");
  const std::string name = "range(" + std::to_string(start) + ", " + std::to_string(stop) + ", " +
                           std::to_string(step) + ")";
  return MakeIndexed(
      name, static_cast<int64_t>(base::RangeCount(start, stop, step)), {{DType::kInt64, Shape{}}},
      [start, step](int64_t index) -> Element { return {Scalar<int64_t>(start + index * step)}; });
}

NodePtr MakeGenerator(std::function<Dataset::Generator()> make, std::vector<TensorSpec> signature) {
  return std::make_shared<GeneratorNode>(std::move(make), std::move(signature));
}

NodePtr MakeRandom(std::optional<int64_t> seed) {
  return std::make_shared<RandomNode>(runtime::NextOpSeed(seed));
}

NodePtr MakeIndexed(std::string name, int64_t count, std::vector<TensorSpec> spec,
                    std::function<Element(int64_t)> element) {
  return std::make_shared<IndexedNode>(std::move(name), count, std::move(spec), std::move(element));
}

}  // namespace lockstep::data
