#include "monitor/summary_proto.h"

#include "base/wire.h"
#include "tensor/tensor_proto.h"

namespace lockstep::monitor {

using base::WireWriter;

std::string SummaryProto(const std::string& tag, const Tensor& tensor, const Plugin& plugin,
                         const std::string& description) {
  WireWriter data, metadata, value, summary;
  data.Bytes(1, plugin.name);
  if (!plugin.content.empty()) data.Bytes(2, plugin.content);
  metadata.Message(1, data);
  if (!description.empty()) metadata.Bytes(3, description);
  value.Bytes(1, tag).Bytes(8, tensor::TensorProto(tensor)).Message(9, metadata);
  return summary.Message(1, value).bytes();
}

void Refuse(const char* kind, const std::string& tag, const std::string& rule, const Tensor& got,
            const std::string& cure) {
  const std::string what =
      !got.defined() ? "no tensor" : std::string(DTypeName(got.dtype())) + got.shape().ToString();
  throw Error(Code::kInvalidArgument, std::string("[summary.") + kind + "] " + rule + "; got " +
                                          what + " (" + tag + "); " + cure);
}

namespace {

template <typename T>
std::vector<double> Widen(const Tensor& tensor) {
  std::vector<double> values;
  values.reserve(tensor.num_elements());
  for (const T value : tensor.data<T>()) {
    if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
      values.push_back(static_cast<float>(value));
    } else {
      values.push_back(static_cast<double>(value));
    }
  }
  return values;
}

}  // namespace

std::vector<double> AsDoubles(const char* kind, const std::string& tag, const Tensor& tensor) {
  if (tensor.defined() && !tensor.is_symbolic()) {
    switch (tensor.dtype()) {
      case DType::kFloat32:
        return Widen<float>(tensor);
      case DType::kFloat64:
        return Widen<double>(tensor);
      case DType::kFloat16:
        return Widen<float16>(tensor);
      case DType::kBFloat16:
        return Widen<bfloat16>(tensor);
      case DType::kInt8:
        return Widen<int8_t>(tensor);
      case DType::kInt16:
        return Widen<int16_t>(tensor);
      case DType::kInt32:
        return Widen<int32_t>(tensor);
      case DType::kInt64:
        return Widen<int64_t>(tensor);
      case DType::kUInt8:
        return Widen<uint8_t>(tensor);
      case DType::kBool:
        return Widen<bool>(tensor);
      default:
        break;
    }
  }
  Refuse(kind, tag, "a tensor of numbers is needed", tensor, "cast it, or write it as text");
}

}  // namespace lockstep::monitor
