#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/hash.h"
#include "base/printf.h"
#include "checkpoint/element_bytes.h"
#include "checkpoint/save_file.h"
#include "checkpoint/write_files.h"

namespace lockstep {

const Tensor* SavedState::Find(const std::string& name) const {
  for (const NamedTensor& tensor : tensors) {
    if (tensor.name == name) return &tensor.value;
  }
  return nullptr;
}

namespace checkpoint {

namespace {

uint64_t Checksum(std::span<const std::byte> bytes) {
  return base::Hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Status CheckState(const SavedState& state) {
  std::set<std::string> names;
  for (const NamedTensor& tensor : state.tensors) {
    if (!tensor.value.defined() || tensor.value.is_symbolic() ||
        tensor.value.dtype() == DType::kResource) {
      return Status(
          Code::kInvalidArgument,
          "[save] only values can be saved; got a tensor without elements (" + tensor.name + ")");
    }
    if (!names.insert(tensor.name).second) {
      return Status(Code::kInvalidArgument,
                    "[save] the names of tensors must differ; got twice " + tensor.name);
    }
  }
  if (!nlohmann::json::parse(state.metadata, nullptr, /*allow_exceptions=*/false).is_object()) {
    return Status(Code::kInvalidArgument,
                  "[save] the metadata must be a JSON object; got " + state.metadata.substr(0, 40));
  }
  return Status::Ok();
}

// The index, with offsets counted from the start of the data.
std::string MakeIndex(const SavedState& state, const std::vector<ElementBytes>& elements,
                      uint64_t* data_bytes) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  uint64_t offset = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Tensor& value = state.tensors[i].value;
    const auto bytes = elements[i].bytes();
    const std::string checksum =
        base::Printf("%016llx", static_cast<unsigned long long>(Checksum(bytes)));
    tensors.push_back({{"name", state.tensors[i].name},
                       {"dtype", std::string(DTypeName(value.dtype()))},
                       {"shape", value.shape().vector()},
                       {"offset", offset},
                       {"bytes", bytes.size()},
                       {"xxh3", checksum}});
    offset = Aligned(offset + bytes.size());
  }
  *data_bytes = offset;
  nlohmann::ordered_json index;
  index["metadata"] = nlohmann::ordered_json::parse(state.metadata);
  index["tensors"] = std::move(tensors);
  return index.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string MakeHeader(const std::string& index, uint64_t data_bytes) {
  std::string header(kHeaderBytes, '\0');
  const auto put = [&](size_t place, auto value) {
    std::memcpy(header.data() + place, &value, sizeof value);
  };
  std::memcpy(header.data(), kMagic, 8);
  put(8, kVersion);
  put(12, static_cast<uint32_t>(kHeaderBytes));
  put(16, static_cast<uint64_t>(index.size()));
  put(24, base::Hash64(index));
  put(32, kHeaderBytes + Aligned(index.size()));
  put(40, kHeaderBytes + Aligned(index.size()) + data_bytes);
  put(56, base::Hash64({header.data(), 56}));
  return header;
}

Status AppendPadded(base::WritableFile& file, std::span<const std::byte> bytes) {
  static constexpr std::byte kZeros[kAlignment] = {};
  LOCKSTEP_RETURN_IF_ERROR(file.Append(bytes));
  const uint64_t padding = Aligned(bytes.size()) - bytes.size();
  return padding == 0 ? Status::Ok() : file.Append(std::span(kZeros, padding));
}

}  // namespace

Status WriteSave(base::FileSystem& files, const std::string& path, const SavedState& state) {
  LOCKSTEP_RETURN_IF_ERROR(CheckState(state));
  std::vector<ElementBytes> elements;
  for (const NamedTensor& tensor : state.tensors) elements.emplace_back(tensor.value);
  uint64_t data_bytes = 0;
  const std::string index = MakeIndex(state, elements, &data_bytes);
  const std::string header = MakeHeader(index, data_bytes);
  const Status written = WriteInOneStep(files, path, [&](base::WritableFile& file) -> Status {
    LOCKSTEP_RETURN_IF_ERROR(file.Append(std::as_bytes(std::span(header))));
    LOCKSTEP_RETURN_IF_ERROR(AppendPadded(file, std::as_bytes(std::span(index))));
    for (const ElementBytes& element : elements) {
      LOCKSTEP_RETURN_IF_ERROR(AppendPadded(file, element.bytes()));
    }
    return Status::Ok();
  });
  const uint64_t total = kHeaderBytes + Aligned(index.size()) + data_bytes;
  return SaveStatus("a save of " + std::to_string(total) + " bytes", written);
}

Status ReplaceFile(base::FileSystem& files, const std::string& path, const std::string& text) {
  return WriteInOneStep(files, path, [&](base::WritableFile& file) {
    return file.Append(std::as_bytes(std::span(text)));
  });
}

}  // namespace checkpoint

Status SaveState(const std::string& path, const SavedState& state) {
  return checkpoint::WriteSave(base::LocalFiles(), path, state);
}

}  // namespace lockstep
