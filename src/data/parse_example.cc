#include <algorithm>
#include <cstring>

#include "base/wire.h"
#include "data/dataset_node.h"
#include "data/example_lists.h"
#include "kernels/kernel.h"
#include "lockstep/data/example.h"
#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "ops/op.h"
#include "tensor/buffer.h"

namespace lockstep {

namespace {

using data::FeatureList;

[[noreturn]] void Refuse(const FeatureSpec& spec, const std::string& rule, const std::string& got,
                         int64_t row) {
  data::Refuse("parse_example", "the feature " + spec.name + " must have " + rule,
               got + " (example " + std::to_string(row) + ")", "look at what writes it");
}

FeatureList::Kind KindOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return FeatureList::kFloats;
    case DType::kInt64:
      return FeatureList::kIntegers;
    default:
      return FeatureList::kBytes;
  }
}

const char* NameOf(FeatureList::Kind kind) {
  constexpr const char* kNames[] = {"none", "a bytes_list", "a float_list", "an int64_list"};
  return kNames[kind];
}

// The values of one feature of many examples.
class Column {
 public:
  Column(const FeatureSpec& spec, int64_t rows, bool alone)
      : spec_(spec), rows_(rows), alone_(alone), filled_(rows) {
    Check();
    row_size_ = variable() ? 0 : spec.shape.num_elements();
    if (!variable()) buffer_ = tensor::Buffer::Allocate(spec.dtype, rows * row_size_);
    if (variable()) lists_.resize(rows);
  }

  const std::string& name() const { return spec_.name; }

  void Set(int64_t row, std::string_view feature) {
    FeatureList list;
    if (!data::FindFeatureList(feature, list))
      Refuse(spec_, "a form that is known", "another", row);
    if (list.kind == FeatureList::kNone) return;
    if (list.kind != KindOf(spec_.dtype))
      Refuse(spec_, NameOf(KindOf(spec_.dtype)), NameOf(list.kind), row);
    filled_[row] = true;
    if (!variable() && PutAtOnce(row, list.bytes)) return;
    Values values;
    if (!Read(list.bytes, values)) Refuse(spec_, "a list that is whole", "a broken one", row);
    if (variable()) {
      const int64_t one = spec_.shape.num_elements();
      if (values.size() % one != 0) {
        Refuse(spec_,
               "a multiple of " + std::to_string(one) + " elements, for " + spec_.shape.ToString() +
                   " each",
               std::to_string(values.size()), row);
      }
      lists_[row] = std::move(values);
    } else {
      Put(row, values);
    }
  }

  void Finish(Element& element) {
    if (spec_.kind == FeatureSpec::Kind::kSparse) {
      element.push_back(Places());
      element.push_back(Joined());
      element.push_back(DenseShape());
    } else if (spec_.kind == FeatureSpec::Kind::kRagged) {
      element.push_back(Joined());
      if (!alone_) element.push_back(Splits());
    } else {
      const Tensor rows = variable() ? Padded() : Fixed();
      element.push_back(alone_ ? rows.WithShape(Shape(rows.shape().sizes().subspan(1))) : rows);
    }
  }

 private:
  struct Values {
    std::vector<float> floats;
    std::vector<int64_t> integers;
    std::vector<std::string> strings;
    int64_t size() const {
      return static_cast<int64_t>(floats.size() + integers.size() + strings.size());
    }
    // Of the three lists one has elements at most.
    void CopyTo(void* out, int64_t at) const {
      std::copy(floats.begin(), floats.end(), static_cast<float*>(out) + at);
      std::copy(integers.begin(), integers.end(), static_cast<int64_t*>(out) + at);
      std::copy(strings.begin(), strings.end(), static_cast<std::string*>(out) + at);
    }
  };

  bool variable() const { return spec_.kind != FeatureSpec::Kind::kFixed; }

  void Check() const {
    const bool known = spec_.dtype == DType::kFloat32 || spec_.dtype == DType::kInt64 ||
                       spec_.dtype == DType::kString || spec_.dtype == DType::kUInt8;
    if (!known || !spec_.shape.fully_known() ||
        (variable() && (spec_.dtype == DType::kUInt8 || spec_.shape.num_elements() == 0)) ||
        (spec_.kind == FeatureSpec::Kind::kSparse && spec_.shape.rank() > 0)) {
      data::Refuse(
          "parse_example",
          "a feature is of float32, int64, string or (fixed) uint8, with a known shape",
          std::string(DTypeName(spec_.dtype)) + spec_.shape.ToString() + " (" + spec_.name + ")",
          "cast behind the parsing");
    }
    const Tensor& fallback = spec_.default_value;
    if (fallback.defined() &&
        ((fallback.dtype() != spec_.dtype && !fallback.is_weak()) ||
         (fallback.rank() != 0 && (variable() || !(fallback.shape() == spec_.shape))))) {
      data::Refuse("parse_example", "a default has the feature's dtype and shape",
                   std::string(DTypeName(fallback.dtype())) + fallback.shape().ToString() + " (" +
                       spec_.name + ")",
                   "give it as " + std::string(DTypeName(spec_.dtype)) + spec_.shape.ToString());
    }
  }

  // Puts what lies in the list as it does in memory, without a copy between; false where it does
  // not, or does not fit.
  bool PutAtOnce(int64_t row, std::string_view list) {
    base::WireReader reader(list);
    if (!reader.Next() || !reader.Is(1, base::WireType::kBytes)) return false;
    std::string_view bytes = reader.bytes();
    if (reader.Next() || reader.broken()) return false;
    if (spec_.dtype == DType::kInt64) {
      auto* out = static_cast<int64_t*>(buffer_->data()) + row * row_size_;
      for (int64_t i = 0; i < row_size_; ++i) {
        uint64_t value = 0;
        if (!base::TakeVarint(bytes, value)) return false;
        out[i] = static_cast<int64_t>(value);
      }
      return bytes.empty();
    }
    if (spec_.dtype == DType::kString ||
        static_cast<int64_t>(bytes.size()) !=
            row_size_ * static_cast<int64_t>(DTypeSize(spec_.dtype)))
      return false;
    PutBytes(row, bytes.data());
    return true;
  }

  bool Read(std::string_view list, Values& values) const {
    switch (spec_.dtype) {
      case DType::kFloat32:
        return data::ReadFloats(list, values.floats);
      case DType::kInt64:
        return data::ReadIntegers(list, values.integers);
      default:
        return data::ReadStrings(list, values.strings);
    }
  }

  void RequireCount(int64_t row, int64_t got) const {
    if (got == row_size_) return;
    Refuse(spec_, std::to_string(row_size_) + " elements, for " + spec_.shape.ToString(),
           std::to_string(got), row);
  }

  void Put(int64_t row, const Values& values) {
    if (spec_.dtype == DType::kUInt8) {
      if (values.strings.size() != 1)
        Refuse(spec_, "one string, whose bytes are the elements",
               std::to_string(values.strings.size()), row);
      RequireCount(row, static_cast<int64_t>(values.strings[0].size()));
      PutBytes(row, values.strings[0].data());
      return;
    }
    RequireCount(row, values.size());
    if (spec_.dtype == DType::kString) {
      std::copy(values.strings.begin(), values.strings.end(),
                static_cast<std::string*>(buffer_->data()) + row * row_size_);
    } else if (spec_.dtype == DType::kInt64) {
      PutBytes(row, values.integers.data());
    } else {
      PutBytes(row, values.floats.data());
    }
  }

  void PutBytes(int64_t row, const void* values) {
    const size_t bytes = row_size_ * DTypeSize(spec_.dtype);
    if (bytes > 0) std::memcpy(static_cast<char*>(buffer_->data()) + row * bytes, values, bytes);
  }

  template <typename T>
  void Repeat(int64_t row, const T* values, bool one) {
    T* out = static_cast<T*>(buffer_->data()) + row * row_size_;
    for (int64_t i = 0; i < row_size_; ++i) out[i] = values[one ? 0 : i];
  }

  void PutDefault(int64_t row) {
    const Tensor& fallback = spec_.default_value;
    if (!fallback.defined()) Refuse(spec_, "a value, as it has no default", "none", row);
    const bool one = fallback.rank() == 0;
    if (fallback.is_weak() && fallback.dtype() != spec_.dtype) {
      const bool real = fallback.dtype() == DType::kFloat64;
      const double number =
          real ? fallback.scalar<double>() : static_cast<double>(fallback.scalar<int64_t>());
      const auto wide = static_cast<float>(number);
      const auto byte = static_cast<uint8_t>(number);
      const auto whole = static_cast<int64_t>(number);
      if (spec_.dtype == DType::kFloat32) return Repeat(row, &wide, true);
      if (spec_.dtype == DType::kUInt8) return Repeat(row, &byte, true);
      if (spec_.dtype == DType::kInt64) return Repeat(row, &whole, true);
      Refuse(spec_, "a default that is a string", "a number", row);
    }
    switch (spec_.dtype) {
      case DType::kString:
        return Repeat(row, fallback.data<std::string>().data(), one);
      case DType::kInt64:
        return Repeat(row, fallback.data<int64_t>().data(), one);
      case DType::kUInt8:
        return Repeat(row, fallback.data<uint8_t>().data(), one);
      default:
        return Repeat(row, fallback.data<float>().data(), one);
    }
  }

  Tensor Fixed() {
    for (int64_t row = 0; row < rows_; ++row) {
      if (!filled_[row]) PutDefault(row);
    }
    return Tensor::FromBuffer(std::move(buffer_), spec_.dtype, Behind({rows_}));
  }

  Shape Behind(Shape first) const {
    for (const int64_t size : spec_.shape.sizes()) first.Append(size);
    return first;
  }

  int64_t SizeOf(int64_t row) const { return lists_[row].size() / spec_.shape.num_elements(); }

  // The values of all rows, one behind the other.
  Tensor Joined() {
    int64_t total = 0;
    for (const Values& values : lists_) total += values.size();
    auto buffer = tensor::Buffer::Allocate(spec_.dtype, total);
    int64_t at = 0;
    for (const Values& values : lists_) {
      values.CopyTo(buffer->data(), at);
      at += values.size();
    }
    return Tensor::FromBuffer(std::move(buffer), spec_.dtype,
                              Behind({total / spec_.shape.num_elements()}));
  }

  Tensor Places() const {
    std::vector<int64_t> places;
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t i = 0; i < SizeOf(row); ++i) {
        if (!alone_) places.push_back(row);
        places.push_back(i);
      }
    }
    const int64_t rank = alone_ ? 1 : 2;
    const auto total = static_cast<int64_t>(places.size()) / rank;
    return Tensor::FromVector(places, Shape{total, rank});
  }

  Tensor DenseShape() const {
    int64_t most = 0;
    for (int64_t row = 0; row < rows_; ++row) most = std::max(most, SizeOf(row));
    if (alone_) return Tensor::FromVector(std::vector<int64_t>{most}, Shape{1});
    return Tensor::FromVector(std::vector<int64_t>{rows_, most}, Shape{2});
  }

  Tensor Splits() const {
    std::vector<int64_t> splits{0};
    for (int64_t row = 0; row < rows_; ++row) splits.push_back(splits.back() + SizeOf(row));
    return Tensor::FromVector(splits, Shape{rows_ + 1});
  }

  Tensor Padded() {
    for (const Values& values : lists_) row_size_ = std::max(row_size_, values.size());
    buffer_ = tensor::Buffer::Allocate(spec_.dtype, rows_ * row_size_);
    if (spec_.dtype != DType::kString && buffer_->num_bytes() > 0)
      std::memset(buffer_->data(), 0, buffer_->num_bytes());
    for (int64_t row = 0; row < rows_; ++row) {
      const Values& values = lists_[row];
      if (spec_.default_value.defined()) PutDefault(row);
      values.CopyTo(buffer_->data(), row * row_size_);
    }
    return Tensor::FromBuffer(std::move(buffer_), spec_.dtype,
                              Behind({rows_, row_size_ / spec_.shape.num_elements()}));
  }

  const FeatureSpec& spec_;
  int64_t rows_;
  bool alone_;  // one example, which adds no axis
  int64_t row_size_ = 0;
  std::vector<bool> filled_;
  std::shared_ptr<tensor::Buffer> buffer_;
  std::vector<Values> lists_;
};

std::vector<Column> Columns(const std::vector<FeatureSpec>& specs, int64_t rows, bool alone) {
  std::vector<Column> columns;
  columns.reserve(specs.size());
  for (const FeatureSpec& spec : specs) columns.emplace_back(spec, rows, alone);
  return columns;
}

Element Finish(std::vector<Column>& columns) {
  Element element;
  for (Column& column : columns) column.Finish(element);
  return element;
}

void ParseInto(std::string_view serialized, int64_t row, std::vector<Column>& columns) {
  const auto set = [&](std::string_view name, std::string_view value) {
    for (Column& column : columns) {
      if (column.name() == name) column.Set(row, value);
    }
    return true;
  };
  base::WireReader reader(serialized);
  bool whole = true;
  while (whole && reader.Next()) {
    if (reader.Is(1, base::WireType::kBytes)) whole = data::ForEachEntry(reader.bytes(), set);
  }
  if (whole && !reader.broken()) return;
  data::Refuse("parse_example", "the bytes must be a serialized Example",
               "others (example " + std::to_string(row) + ")", "look at what writes them");
}

}  // namespace

Element ParseSingleExample(std::string_view serialized, const std::vector<FeatureSpec>& specs) {
  std::vector<Column> columns = Columns(specs, 1, true);
  ParseInto(serialized, 0, columns);
  return Finish(columns);
}

namespace {

// What an op of this file is asked for.
struct WantedFeatures : TensorObject {
  explicit WantedFeatures(const std::vector<FeatureSpec>& wanted) : specs(wanted) {}
  std::vector<FeatureSpec> specs;
};

const std::vector<FeatureSpec>& SpecsOf(const ops::Attributes& attributes) {
  return ops::ObjectAttribute<const WantedFeatures>(attributes, "features").specs;
}

void RequireTexts(DType dtype, const Shape& shape) {
  if (dtype == DType::kString && shape.rank() <= 1) return;
  data::Refuse("parse_example", "the examples must be strings [n], or one []",
               std::string(DTypeName(dtype)) + shape.ToString(), "batch serialized records");
}

void AppendTypes(const FeatureSpec& spec, const Shape& texts, std::vector<ops::TensorType>& types) {
  const bool sparse = spec.kind == FeatureSpec::Kind::kSparse;
  const bool ragged = spec.kind == FeatureSpec::Kind::kRagged;
  const int64_t rank = texts.rank() + 1;
  Shape shape = sparse || ragged ? Shape{} : texts;
  if (spec.kind != FeatureSpec::Kind::kFixed) shape.Append(Shape::kUnknown);
  for (const int64_t size : spec.shape.sizes()) shape.Append(size);
  if (sparse) types.push_back({DType::kInt64, Shape{Shape::kUnknown, rank}});
  types.push_back({spec.dtype, shape});
  if (sparse) types.push_back({DType::kInt64, Shape{rank}});
  if (ragged && texts.rank() == 1) {
    const int64_t splits = texts[0] < 0 ? Shape::kUnknown : texts[0] + 1;
    types.push_back({DType::kInt64, Shape{splits}});
  }
}

std::vector<ops::TensorType> InferParsed(const ops::InferenceContext& context) {
  const ops::TensorType& texts = context.inputs[0];
  RequireTexts(texts.dtype, texts.shape);
  std::vector<ops::TensorType> types;
  for (const FeatureSpec& spec : SpecsOf(context.attributes)) AppendTypes(spec, texts.shape, types);
  return types;
}

std::vector<Tensor> Parse(const ops::Attributes& attributes, std::span<const Tensor> inputs) {
  const std::vector<FeatureSpec>& specs = SpecsOf(attributes);
  const auto records = inputs[0].data<std::string>();
  if (inputs[0].rank() == 0) return ParseSingleExample(records[0], specs);
  std::vector<Column> columns = Columns(specs, static_cast<int64_t>(records.size()), false);
  for (size_t row = 0; row < records.size(); ++row)
    ParseInto(records[row], static_cast<int64_t>(row), columns);
  return Finish(columns);
}

const ops::RegisterOp kParseExample({.name = "ParseExample", .infer = InferParsed});
const kernels::RegisterValueFunction kParse("ParseExample", Parse);

}  // namespace

Element ParseExample(const Tensor& serialized, const std::vector<FeatureSpec>& specs) {
  if (!serialized.defined()) RequireTexts(DType::kInvalid, Shape{});
  RequireTexts(serialized.dtype(), serialized.shape());
  return ops::Emit(
      "ParseExample", {serialized},
      {{"features", std::shared_ptr<TensorObject>(std::make_shared<WantedFeatures>(specs))}});
}

}  // namespace lockstep
