#include "check/constants.h"

#include <cmath>
#include <cstring>

namespace lockstep::check {

namespace {

using Numbers = std::optional<std::vector<int64_t>>;

constexpr int64_t kMaxNumbers = 65'536;
constexpr int kMaxEvaluations = 100;  // ops behind each other

// How many numbers a tensor holds; 1 where no shape is written.
int64_t CountOf(const graph_def::TensorProto& tensor) {
  int64_t count = 1;
  for (const auto& dim : tensor.tensor_shape().dim()) {
    if (dim.size() < 0 || dim.size() > kMaxNumbers || count > kMaxNumbers) return -1;
    count *= dim.size();
  }
  return count > kMaxNumbers ? -1 : count;
}

bool OfIntegers(const graph_def::TensorProto& tensor) {
  using namespace graph_def;
  switch (tensor.dtype()) {
    case DT_INT32:
    case DT_INT64:
    case DT_INVALID:
      return true;
    case DT_INT8:
    case DT_INT16:
    case DT_UINT8:
      return tensor.tensor_content().empty();
    default:
      return false;
  }
}

// The last number that is written stands for those behind it, too.
Numbers Written(const graph_def::TensorProto& tensor) {
  if (!OfIntegers(tensor)) return std::nullopt;
  std::vector<int64_t> numbers(tensor.int_val().begin(), tensor.int_val().end());
  numbers.insert(numbers.end(), tensor.int64_val().begin(), tensor.int64_val().end());
  const std::string& bytes = tensor.tensor_content();
  const size_t size = tensor.dtype() == graph_def::DT_INT64 ? 8 : 4;
  if (bytes.size() / size > kMaxNumbers || numbers.size() > kMaxNumbers) return std::nullopt;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(size == 8 ? static_cast<void*>(&wide) : &narrow, bytes.data() + at, size);
    numbers.push_back(size == 8 ? wide : narrow);
  }
  const int64_t count = CountOf(tensor);
  if (count < 0) return std::nullopt;
  if (numbers.empty()) numbers.push_back(0);  // nothing is written for a tensor of zeros
  numbers.resize(count, numbers.back());
  return numbers;
}

class Evaluation {
 public:
  Evaluation(const FlatGraph& flat, const Conditions& conditions)
      : flat_(flat), conditions_(conditions) {}

  Numbers Of(const Edge& edge) {
    if (++steps_ > kMaxEvaluations) return std::nullopt;
    const FlatNode& node = flat_.nodes[conditions_.Origin(edge).from];
    if (const auto* tensor = ConstantOf(node)) return Written(*tensor);
    if (IsOp(node, {"Range"})) return Counted(node);
    if (IsOp(node, {"Pack"}) && NumberOf(*node.def, "axis", 0) == 0) return Joined(node, 0);
    if (IsOp(node, {"ConcatV2"})) return Joined(node, 1);
    if (IsOp(node, {"Fill"}) && node.inputs.size() == 2) return Filled(node);
    if (IsOp(node, {"OnesLike", "ZerosLike"}) && node.inputs.size() == 1) {
      const Numbers like = Of(node.inputs[0]);
      if (!like) return std::nullopt;
      return std::vector<int64_t>(like->size(), IsOp(node, {"OnesLike"}));
    }
    const bool same =
        CastsInteger(node) || IsOp(node, {"Reshape", "ExpandDims", "Squeeze", "Snapshot"});
    return same && !node.inputs.empty() ? Of(node.inputs[0]) : std::nullopt;
  }

 private:
  Numbers Counted(const FlatNode& node) {
    if (node.inputs.size() != 3) return std::nullopt;
    int64_t bounds[3];
    for (int i = 0; i < 3; ++i) {
      const Numbers one = Of(node.inputs[i]);
      if (!one || one->size() != 1) return std::nullopt;
      bounds[i] = one->front();
    }
    const auto [begin, end, delta] = bounds;
    if (delta == 0) return std::nullopt;
    std::vector<int64_t> numbers;
    for (__int128 at = begin; delta > 0 ? at < end : at > end; at += delta) {
      if (numbers.size() >= kMaxNumbers) return std::nullopt;
      numbers.push_back(static_cast<int64_t>(at));
    }
    return numbers;
  }

  Numbers Filled(const FlatNode& node) {
    const Numbers dims = Of(node.inputs[0]), value = Of(node.inputs[1]);
    if (!dims || !value || value->size() != 1) return std::nullopt;
    int64_t count = 1;
    for (int64_t dim : *dims) {
      if (dim < 0 || dim > kMaxNumbers || (count *= dim) > kMaxNumbers) return std::nullopt;
    }
    return std::vector<int64_t>(static_cast<size_t>(count), value->front());
  }

  // Of all inputs but the last few, along the first axis.
  Numbers Joined(const FlatNode& node, size_t behind) {
    if (node.inputs.size() <= behind) return std::nullopt;
    const std::vector<int64_t> first_axis{0};
    if (behind > 0 && Of(node.inputs.back()) != first_axis) return std::nullopt;
    std::vector<int64_t> numbers;
    for (size_t i = 0; i + behind < node.inputs.size(); ++i) {
      const Numbers one = Of(node.inputs[i]);
      if (!one || numbers.size() + one->size() > kMaxNumbers) return std::nullopt;
      numbers.insert(numbers.end(), one->begin(), one->end());
    }
    return numbers;
  }

  const FlatGraph& flat_;
  const Conditions& conditions_;
  int steps_ = 0;
};

}  // namespace

const graph_def::TensorProto* ConstantOf(const FlatNode& node) {
  if (!IsOp(node, {"Const"})) return nullptr;
  const auto value = node.def->attr().find("value");
  if (value == node.def->attr().end() || !value->second.has_tensor()) return nullptr;
  return &value->second.tensor();
}

std::optional<std::string> ScalarOf(const graph_def::TensorProto& tensor) {
  if (CountOf(tensor) != 1) return std::nullopt;
  const std::string& bytes = tensor.tensor_content();
  if (tensor.dtype() == graph_def::DT_STRING)
    return tensor.string_val_size() == 1 ? tensor.string_val(0) : std::string();
  double real = 0;
  if (tensor.dtype() == graph_def::DT_FLOAT) {
    float narrow = tensor.float_val_size() > 0 ? tensor.float_val(0) : 0;
    if (bytes.size() == sizeof(narrow)) std::memcpy(&narrow, bytes.data(), sizeof(narrow));
    real = narrow;
  } else if (tensor.dtype() == graph_def::DT_DOUBLE) {
    real = tensor.double_val_size() > 0 ? tensor.double_val(0) : 0;
    if (bytes.size() == sizeof(real)) std::memcpy(&real, bytes.data(), sizeof(real));
  } else {
    const Numbers numbers = Written(tensor);
    if (!numbers) return std::nullopt;
    return std::to_string(numbers->front());
  }
  if (std::isnan(real)) return std::nullopt;
  if (real == 0) real = 0;  // of either sign
  return std::string(reinterpret_cast<const char*>(&real), sizeof(real));
}

bool CastsInteger(const FlatNode& node) {
  if (!IsOp(node, {"Cast"}) || node.inputs.size() != 1) return false;
  const auto integer = [&](const char* name) {
    const auto type = node.def->attr().find(name);
    return type != node.def->attr().end() && (type->second.type() == graph_def::DT_INT32 ||
                                              type->second.type() == graph_def::DT_INT64);
  };
  return integer("SrcT") && integer("DstT");
}

int64_t NumberOf(const graph_def::NodeDef& node, const char* name, int64_t otherwise) {
  const auto place = node.attr().find(name);
  return place == node.attr().end() ? otherwise : place->second.i();
}

std::optional<std::vector<int64_t>> NumbersOf(const FlatGraph& flat, const Conditions& conditions,
                                              const Edge& edge) {
  return Evaluation(flat, conditions).Of(edge);
}

}  // namespace lockstep::check
