#include <map>

#include "base/crc32c.h"
#include "checkpoint/bundle_file.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/save_file.h"
#include "checkpoint/table.h"
#include "checkpoint/write_files.h"

namespace lockstep {
namespace checkpoint {

namespace {

using Entries = std::map<std::string, BundleEntry>;

Status Refuse(const std::string& rule, const std::string& got, const std::string& name) {
  return Status(Code::kInvalidArgument, "[save] " + rule + "; got " + got + " (" + name + ")");
}

// Adds the place of a part to its tensor's entry, and gives the key of the part's own. A part that
// is the whole tensor stands as a tensor that was never divided does.
Result<std::string> AddPart(const BundleTensor& tensor, Entries& entries) {
  const auto spec = ParseSliceSpec(tensor.slice);
  if (spec && spec->whole.rank() == 0)
    return Refuse("a part must have an axis", "a scalar", tensor.name);
  const auto part = spec ? PartShape(spec->whole, spec->slice) : std::nullopt;
  if (!part || !(*part == tensor.value.shape()))
    return Refuse("a slice is the whole shape and the part's place, as in \"5 2 0,3:0,2\"",
                  tensor.slice + " for " + tensor.value.shape().ToString(), tensor.name);
  if (*part == spec->whole) return tensor.name;
  const std::string key = SliceKey(tensor.name, spec->slice);
  const auto dtype = static_cast<uint64_t>(tensor.value.dtype());
  auto [whole, added] = entries.try_emplace(tensor.name);
  if (added) whole->second = {.dtype = dtype, .shape = spec->whole};
  if (whole->second.slices.empty() && !added)
    return Refuse("the names of tensors must differ", "twice", tensor.name);
  if (whole->second.dtype != dtype || !(*whole->second.shape == spec->whole))
    return Refuse("the parts of a tensor have one dtype and whole shape", tensor.slice,
                  tensor.name);
  whole->second.slices.push_back(spec->slice);
  return key;
}

// Writes the elements and notes where they stand.
class ElementWriter {
 public:
  explicit ElementWriter(base::WritableFile& file) : pieces_(file) {}

  Status Write(const Tensor& value, BundleEntry& entry) {
    entry.offset = place_;
    if (value.dtype() == DType::kString) {
      const auto strings = value.data<std::string>();
      entry.checksum = base::MaskCrc(StringsChecksum(strings));
      LOCKSTEP_RETURN_IF_ERROR(Append(EncodeStringLengths(strings)));
      for (const std::string& text : strings) LOCKSTEP_RETURN_IF_ERROR(Append(text));
    } else {
      std::string_view bytes(static_cast<const char*>(value.raw_data()), value.num_bytes());
      uint32_t crc = 0;
      while (!bytes.empty()) {  // by pieces, which are written while the cache still has them
        const std::string_view piece = bytes.substr(0, kPieceBytes);
        crc = base::Crc32c(piece, crc);
        LOCKSTEP_RETURN_IF_ERROR(Append(piece));
        bytes.remove_prefix(piece.size());
      }
      entry.checksum = base::MaskCrc(crc);
    }
    entry.size = place_ - entry.offset;
    return Status::Ok();
  }
  Status Finish() { return pieces_.Flush(); }

 private:
  Status Append(std::string_view bytes) {
    place_ += static_cast<int64_t>(bytes.size());
    return pieces_.Append(bytes);
  }
  PieceWriter pieces_;
  int64_t place_ = 0;
};

// The entries of all tensors, the keys under which `tensors` stand in them included.
Status MakeEntries(const std::vector<BundleTensor>& tensors, Entries& entries,
                   std::vector<std::string>& keys) {
  for (const BundleTensor& tensor : tensors) {
    const Tensor& value = tensor.value;
    if (!value.defined() || value.is_symbolic() || value.dtype() == DType::kResource)
      return Refuse("only values can be saved", "a tensor without elements", tensor.name);
    if (tensor.name.empty()) return Refuse("a tensor must have a name", "none", tensor.name);
    std::string key = tensor.name;
    if (!tensor.slice.empty()) {
      LOCKSTEP_ASSIGN_OR_RETURN(key, AddPart(tensor, entries));
    }
    const auto [entry, added] = entries.try_emplace(key);
    if (!added) return Refuse("the names of tensors must differ", "twice", tensor.name);
    entry->second = {.dtype = static_cast<uint64_t>(value.dtype()), .shape = value.shape()};
    keys.push_back(std::move(key));
  }
  return Status::Ok();
}

Status WriteFiles(base::FileSystem& files, const std::string& prefix,
                  const std::vector<BundleTensor>& tensors) {
  Entries entries;
  std::vector<std::string> keys;
  LOCKSTEP_RETURN_IF_ERROR(MakeEntries(tensors, entries, keys));
  LOCKSTEP_RETURN_IF_ERROR(
      WriteInOneStep(files, DataPath(prefix, 0, 1), [&](base::WritableFile& file) -> Status {
        ElementWriter writer(file);
        for (size_t i = 0; i < tensors.size(); ++i)
          LOCKSTEP_RETURN_IF_ERROR(writer.Write(tensors[i].value, entries.at(keys[i])));
        return writer.Finish();
      }));
  TableBuilder table;
  table.Add("", EncodeHeader({}));
  for (const auto& [key, entry] : entries) table.Add(key, EncodeEntry(entry));
  return ReplaceFile(files, IndexPath(prefix), table.Finish());
}

}  // namespace

Status WriteBundle(base::FileSystem& files, const std::string& prefix,
                   const std::vector<BundleTensor>& tensors) {
  const Status written = WriteFiles(files, prefix, tensors);
  if (written.ok() || written.message().starts_with("[save]")) return written;
  return SaveStatus("the checkpoint " + prefix, written);
}

}  // namespace checkpoint

Status WriteTensorBundle(const std::string& prefix, const std::vector<BundleTensor>& tensors) {
  return checkpoint::WriteBundle(base::LocalFiles(), prefix, tensors);
}

}  // namespace lockstep
