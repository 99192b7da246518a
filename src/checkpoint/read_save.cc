#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/hash.h"
#include "checkpoint/bounded_json.h"
#include "checkpoint/element_bytes.h"
#include "checkpoint/save_file.h"

namespace lockstep {
namespace checkpoint {

namespace {

constexpr char kCure[] = "; take an earlier save";

Status DamagedSave(const std::string& rule, const std::string& got, const std::string& path) {
  return Status(Code::kDataLoss, "[load] " + rule + "; got " + got + " (" + path + ")" + kCure);
}

struct SaveHeader {
  uint64_t index_bytes = 0, index_checksum = 0, data_offset = 0, file_bytes = 0;
};

struct SaveEntry {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  uint64_t offset = 0, bytes = 0, checksum = 0;
};

DType DTypeFrom(const std::string& name) {
  for (int number = 1; number < static_cast<int>(DType::kResource); ++number) {
    const auto dtype = static_cast<DType>(number);
    if (DTypeName(dtype) == name) return dtype;
  }
  return DType::kInvalid;
}

Result<std::string> ReadText(const base::ReadableFile& file, uint64_t offset, uint64_t bytes) {
  std::string text(bytes, '\0');
  LOCKSTEP_RETURN_IF_ERROR(file.Read(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

template <typename T>
T Get(const std::string& text, size_t place) {
  T value;
  std::memcpy(&value, text.data() + place, sizeof value);
  return value;
}

Result<SaveHeader> ReadHeader(const base::ReadableFile& file, const std::string& path) {
  const uint64_t size = file.size();
  LOCKSTEP_ASSIGN_OR_RETURN(std::string text, ReadText(file, 0, std::min(size, kHeaderBytes)));
  if (text.size() >= 8 && text.compare(0, 8, kMagic) != 0) {
    return Status(Code::kInvalidArgument,
                  "[load] a save begins with the bytes LOCKSTEP; got another kind of file (" +
                      path +
                      "); name a save (save-N.lockstep) or the directory that holds the saves");
  }
  if (size < kHeaderBytes) {
    return DamagedSave("a save has at least 64 bytes", std::to_string(size), path);
  }
  const auto version = Get<uint32_t>(text, 8);
  if (Get<uint64_t>(text, 56) != base::Hash64({text.data(), 56})) {
    return DamagedSave("the header must have its checksum", "another", path);
  }
  if (version != kVersion) {
    return Status(Code::kFailedPrecondition,
                  "[load] this program reads version " + std::to_string(kVersion) +
                      " of the format; got version " + std::to_string(version) + " (" + path +
                      "); load it with the program that wrote it");
  }
  const SaveHeader header{Get<uint64_t>(text, 16), Get<uint64_t>(text, 24), Get<uint64_t>(text, 32),
                          Get<uint64_t>(text, 40)};
  if (header.file_bytes != size) {
    return DamagedSave("the file must have the " + std::to_string(header.file_bytes) +
                           " bytes that its header says",
                       std::to_string(size), path);
  }
  if (header.index_bytes > size || header.data_offset > size ||
      header.data_offset != kHeaderBytes + Aligned(header.index_bytes)) {
    return DamagedSave("the index must lie inside the file", std::to_string(header.index_bytes),
                       path);
  }
  return header;
}

// The entries of the index; nothing where its form is broken. Its checksum has been verified, so
// that only a faulty writer gets here with less.
bool ParseEntries(const nlohmann::ordered_json& index, std::vector<SaveEntry>& entries) {
  if (!index.is_object() || !index.contains("tensors") || !index.contains("metadata")) return false;
  if (!index["tensors"].is_array() || !index["metadata"].is_object()) return false;
  for (const auto& item : index["tensors"]) {
    SaveEntry entry;
    std::vector<int64_t> sizes;
    try {
      entry.name = item.at("name").get<std::string>();
      entry.dtype = DTypeFrom(item.at("dtype").get<std::string>());
      sizes = item.at("shape").get<std::vector<int64_t>>();
      entry.offset = item.at("offset").get<uint64_t>();
      entry.bytes = item.at("bytes").get<uint64_t>();
      const auto text = item.at("xxh3").get<std::string>();
      std::from_chars(text.data(), text.data() + text.size(), entry.checksum, 16);
    } catch (const nlohmann::json::exception&) {
      return false;
    }
    if (entry.dtype == DType::kInvalid || sizes.size() > Shape::kMaxRank) return false;
    if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) {
      return false;
    }
    entry.shape = Shape(sizes);
    entries.push_back(std::move(entry));
  }
  return true;
}

Status CheckPlace(const SaveHeader& header, const SaveEntry& entry, const std::string& path) {
  const uint64_t available = header.file_bytes - header.data_offset;
  if (entry.offset <= available && entry.bytes <= available - entry.offset &&
      BytesFit(entry.dtype, entry.shape, entry.bytes))
    return Status::Ok();
  return DamagedSave("the tensor " + entry.name + " must lie inside the file",
                     std::to_string(entry.bytes) + " bytes at " + std::to_string(entry.offset),
                     path);
}

// Of an entry that `CheckPlace` has accepted.
Result<Tensor> ReadTensor(const base::ReadableFile& file, const SaveHeader& header,
                          const SaveEntry& entry, const std::string& path) {
  const uint64_t available = header.file_bytes - header.data_offset;
  const uint64_t padded = std::min(Aligned(entry.bytes), available - entry.offset);
  LOCKSTEP_ASSIGN_OR_RETURN(std::string bytes,
                            ReadText(file, header.data_offset + entry.offset, padded));
  const bool zeros = std::all_of(bytes.begin() + static_cast<int64_t>(entry.bytes), bytes.end(),
                                 [](char byte) { return byte == 0; });
  const std::string_view elements(bytes.data(), entry.bytes);
  if (!zeros || base::Hash64(elements) != entry.checksum) {
    return DamagedSave("the tensor " + entry.name + " must have its checksum", "another", path);
  }
  Tensor tensor = FromElementBytes(entry.dtype, entry.shape, std::as_bytes(std::span(elements)));
  if (!tensor.defined()) {
    return DamagedSave("the tensor " + entry.name + " must have the strings that it says", "others",
                       path);
  }
  return tensor;
}

TensorAbout AboutOf(const SaveEntry& entry) {
  const bool has_lengths = entry.dtype == DType::kString;
  const auto lengths = static_cast<uint64_t>(has_lengths ? entry.shape.num_elements() * 8 : 0);
  return {entry.name, entry.dtype, entry.shape, static_cast<int64_t>(entry.bytes - lengths)};
}

Result<SavedState> Read(base::FileSystem& files, const std::string& path,
                        const TensorFilter& filter) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, files.Open(path));
  LOCKSTEP_ASSIGN_OR_RETURN(const SaveHeader header, ReadHeader(*file, path));
  LOCKSTEP_ASSIGN_OR_RETURN(std::string text,
                            ReadText(*file, kHeaderBytes, header.data_offset - kHeaderBytes));
  const bool zeros = std::all_of(text.begin() + static_cast<int64_t>(header.index_bytes),
                                 text.end(), [](char byte) { return byte == 0; });
  text.resize(header.index_bytes);
  if (!zeros || base::Hash64(text) != header.index_checksum) {
    return DamagedSave("the index must have its checksum", "another", path);
  }
  const auto index = ParseBoundedJson<nlohmann::ordered_json>(text, header.file_bytes);
  std::vector<SaveEntry> entries;
  if (!ParseEntries(index, entries)) {
    return DamagedSave("the index must list tensors and metadata", "something else", path);
  }
  SavedState state;
  state.metadata = index["metadata"].dump();
  for (const SaveEntry& entry : entries) {
    LOCKSTEP_RETURN_IF_ERROR(CheckPlace(header, entry, path));
    if (filter) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool wanted, filter(AboutOf(entry)));
      if (!wanted) continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(*file, header, entry, path));
    state.tensors.push_back({entry.name, std::move(tensor)});
  }
  return state;
}

}  // namespace

Result<SavedState> ReadSave(base::FileSystem& files, const std::string& path,
                            const TensorFilter& filter) {
  return Read(files, path, filter);
}

}  // namespace checkpoint

Result<SavedState> LoadState(const std::string& path) {
  return checkpoint::ReadSave(base::LocalFiles(), path);
}

}  // namespace lockstep
