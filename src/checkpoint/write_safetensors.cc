#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_dtypes.h"
#include "checkpoint/write_files.h"

namespace lockstep {
namespace checkpoint {

namespace {

using nlohmann::ordered_json;

Status Check(const Safetensors& content) {
  std::set<std::string> names;
  for (const NamedTensor& tensor : content.tensors) {
    const Tensor& value = tensor.value;
    const bool fits = value.defined() && !value.is_symbolic() && PlaceOf(value.dtype()) >= 0;
    if (!fits || tensor.name == kMetadataName) {
      return Status(Code::kInvalidArgument,
                    "[save] safetensors hold tensors of numbers, with names other than "
                    "__metadata__; got " +
                        (value.defined() ? std::string(DTypeName(value.dtype()))
                                         : std::string("a tensor without elements")) +
                        " (" + tensor.name + ")");
    }
    if (!names.insert(tensor.name).second) {
      return Status(Code::kInvalidArgument,
                    "[save] the names of tensors must differ; got twice (" + tensor.name + ")");
    }
  }
  return Status::Ok();
}

// Offsets follow from the order.
Result<std::string> Header(const std::vector<const NamedTensor*>& tensors,
                           const std::map<std::string, std::string>& metadata) {
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header[kMetadataName] = metadata;
  size_t offset = 0;
  for (const NamedTensor* tensor : tensors) {
    const size_t end = offset + tensor->value.num_bytes();
    header[tensor->name] = {{"dtype", kSafetensorsDTypes[PlaceOf(tensor->value.dtype())].name},
                            {"shape", tensor->value.shape().vector()},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    return Status(Code::kInvalidArgument,
                  "[save] names and metadata of safetensors are UTF-8; got other bytes");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

}  // namespace

Status WriteSafetensors(base::FileSystem& files, const std::string& path,
                        const Safetensors& content) {
  LOCKSTEP_RETURN_IF_ERROR(Check(content));
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : content.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    const int first = PlaceOf(a->value.dtype()), second = PlaceOf(b->value.dtype());
    return first != second ? first < second : a->name < b->name;
  });
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string header, Header(order, content.metadata));
  const Status written = WriteInOneStep(files, path, [&](base::WritableFile& file) -> Status {
    PieceWriter pieces(file);
    LOCKSTEP_RETURN_IF_ERROR(pieces.Append(header));
    for (const NamedTensor* tensor : order) {
      LOCKSTEP_RETURN_IF_ERROR(pieces.Append(
          {static_cast<const char*>(tensor->value.raw_data()), tensor->value.num_bytes()}));
    }
    return pieces.Flush();
  });
  return SaveStatus("the safetensors " + path, written);
}

}  // namespace checkpoint

Status WriteSafetensors(const std::string& path, const Safetensors& content) {
  return checkpoint::WriteSafetensors(base::LocalFiles(), path, content);
}

}  // namespace lockstep
