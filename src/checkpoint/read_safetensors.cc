#include <algorithm>
#include <cstring>

#include "base/mapped_file.h"
#include "checkpoint/bounded_json.h"
#include "checkpoint/element_bytes.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_dtypes.h"
#include "tensor/buffer.h"

namespace lockstep {
namespace checkpoint {

namespace {

// The most bytes of a header; the format's own library takes no more either.
constexpr uint64_t kMostHeader = 100'000'000;

Status DamagedSafetensors(const std::string& rule, const std::string& got,
                          const std::string& path) {
  return Status(Code::kDataLoss, "[safetensors] " + rule + "; got " + got + " (" + path +
                                     "); fetch or write the file again");
}

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> sizes;
  uint64_t begin = 0, end = 0;
};

// False where the header's form is broken.
bool ParseEntries(const nlohmann::json& header, std::vector<Entry>& entries,
                  std::map<std::string, std::string>& metadata) {
  if (!header.is_object()) return false;
  try {
    for (const auto& [name, about] : header.items()) {
      if (name == kMetadataName) {
        metadata = about.get<std::map<std::string, std::string>>();
        continue;
      }
      const auto offsets = about.at("data_offsets").get<std::vector<uint64_t>>();
      Entry entry{name, about.at("dtype").get<std::string>(),
                  about.at("shape").get<std::vector<int64_t>>()};
      if (offsets.size() != 2 || offsets[0] > offsets[1]) return false;
      entry.begin = offsets[0];
      entry.end = offsets[1];
      entries.push_back(std::move(entry));
    }
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return std::none_of(entries.begin(), entries.end(), [](const Entry& entry) {
    return std::any_of(entry.sizes.begin(), entry.sizes.end(), [](int64_t n) { return n < 0; });
  });
}

Result<TensorAbout> DescribeEntry(const Entry& entry, const std::string& path) {
  const DType dtype = SafetensorsDTypeFrom(entry.dtype);
  if (dtype == DType::kInvalid || entry.sizes.size() > Shape::kMaxRank) {
    return Status(
        Code::kUnimplemented,
        "[safetensors] a tensor is of a dtype of Lockstep's and has at most 8 axes; got " +
            entry.dtype + " with " + std::to_string(entry.sizes.size()) + " axes (" + entry.name +
            " of " + path + "); convert it");
  }
  const Shape shape(entry.sizes);
  const uint64_t bytes = entry.end - entry.begin;
  if (!BytesFit(dtype, shape, bytes))
    return DamagedSafetensors(
        "a tensor has the bytes of its elements",
        std::to_string(bytes) + " for " + entry.dtype + shape.ToString() + " (" + entry.name + ")",
        path);
  return TensorAbout{entry.name, dtype, shape, static_cast<int64_t>(bytes)};
}

Tensor MakeTensor(const TensorAbout& about, std::span<const std::byte> bytes,
                  const std::shared_ptr<const void>& keeper) {
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % DTypeSize(about.dtype) == 0;
  if (keeper == nullptr || !aligned || bytes.empty())
    return FromElementBytes(about.dtype, about.shape, bytes);
  return Tensor::FromBuffer(
      tensor::Buffer::Borrow(about.dtype, about.shape.num_elements(), bytes.data(), keeper),
      about.dtype, about.shape);
}

}  // namespace

Result<Safetensors> ParseSafetensors(std::span<const std::byte> bytes, const std::string& path,
                                     std::shared_ptr<const void> keeper,
                                     const TensorFilter& filter) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length)
    return DamagedSafetensors("a file has at least 8 bytes", std::to_string(bytes.size()), path);
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > bytes.size() - sizeof length || length > kMostHeader)
    return DamagedSafetensors("the header must lie inside the file",
                              std::to_string(length) + " bytes", path);
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + sizeof length;
  const auto header = ParseBoundedJson<nlohmann::json>({text, length}, bytes.size());
  std::vector<Entry> entries;
  Safetensors content;
  if (!ParseEntries(header, entries, content.metadata))
    return DamagedSafetensors("the header must list tensors", "something else", path);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const auto data = bytes.subspan(sizeof length + length);
  uint64_t place = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != place || entry.end > data.size())
      return DamagedSafetensors("a tensor must begin where the one before ends, inside the file",
                                std::to_string(entry.begin) + " to " + std::to_string(entry.end) +
                                    " (" + entry.name + ")",
                                path);
    place = entry.end;
    LOCKSTEP_ASSIGN_OR_RETURN(const TensorAbout about, DescribeEntry(entry, path));
    if (filter) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool wanted, filter(about));
      if (!wanted) continue;
    }
    const auto elements = data.subspan(entry.begin, entry.end - entry.begin);
    content.tensors.push_back({entry.name, MakeTensor(about, elements, keeper)});
  }
  if (place != data.size())
    return DamagedSafetensors("the last tensor must end with the file",
                              std::to_string(data.size() - place) + " bytes more", path);
  return content;
}

}  // namespace checkpoint

Result<Safetensors> ReadSafetensors(const std::string& path, const TensorFilter& filter) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, base::MappedFile::Open(path));
  return checkpoint::ParseSafetensors(file->bytes(), path, file, filter);
}

}  // namespace lockstep
