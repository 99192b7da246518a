#include <algorithm>
#include <cstring>
#include <map>

#include "base/crc32c.h"
#include "base/file.h"
#include "base/wire.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/table.h"
#include "lockstep/checkpoint/tensor_bundle.h"
#include "tensor/buffer.h"
#include "tensor/tensor_proto.h"

namespace lockstep {

using checkpoint::BundleEntry;

namespace {

Status DamagedBundle(const std::string& rule, const std::string& got, const std::string& place) {
  return Status(Code::kDataLoss, "[checkpoint] " + rule + "; got " + got + " (" + place +
                                     "); take an earlier checkpoint");
}

// Copies the rows of a part to their places in the whole, both row-major.
template <typename T>
void CopyPart(const T* part, const Shape& part_shape, T* whole, const Shape& whole_shape,
              const checkpoint::Slice& slice, int axis) {
  const int64_t start = slice[axis].start;
  if (axis == whole_shape.rank() - 1) {
    std::copy_n(part, part_shape[axis], whole + start);
    return;
  }
  const int64_t part_rows = part_shape.product(axis + 1, part_shape.rank());
  const int64_t whole_rows = whole_shape.product(axis + 1, whole_shape.rank());
  for (int64_t i = 0; i < part_shape[axis]; ++i)
    CopyPart(part + i * part_rows, part_shape, whole + (start + i) * whole_rows, whole_shape, slice,
             axis + 1);
}

// The same for a part of any dtype with axes.
void CopyElements(const Tensor& part, DType dtype, void* out, Shape whole,
                  checkpoint::Slice slice) {
  if (dtype == DType::kString) {
    CopyPart(part.data<std::string>().data(), part.shape(), static_cast<std::string*>(out), whole,
             slice, 0);
    return;
  }
  // Elements as bytes: the last axis counts bytes.
  const auto size = static_cast<int64_t>(DTypeSize(dtype));
  const int last = whole.rank() - 1;
  Shape shape = part.shape();
  whole.set_dim(last, whole[last] * size);
  shape.set_dim(last, shape[last] * size);
  slice[last].start *= size;
  CopyPart(static_cast<const char*>(part.raw_data()), shape, static_cast<char*>(out), whole, slice,
           0);
}

}  // namespace

struct TensorBundle::Index {
  base::FileSystem* files = nullptr;
  std::string prefix;
  int shards = 1;
  std::vector<Entry> listed;
  std::map<std::string, BundleEntry> entries;  // parts included
  std::vector<std::unique_ptr<base::ReadableFile>> data;

  Status Load(const checkpoint::TableEntries& table);
  Status OpenData();
  Status Check(const std::string& name, const BundleEntry& entry, int64_t* elements) const;
  Result<Tensor> Read(const std::string& name, const BundleEntry& entry) const;
  Result<Tensor> ReadStrings(const std::string& name, const BundleEntry& entry,
                             int64_t count) const;
  Status CheckParts(const std::string& name, const BundleEntry& entry, int64_t* elements) const;
  Result<Tensor> ReadParts(const std::string& name, const BundleEntry& entry) const;
  void List(const std::string& name, const BundleEntry& entry);
  std::string PlaceOf(const std::string& name) const { return name + " of " + prefix; }
};

Status TensorBundle::Index::Load(const checkpoint::TableEntries& table) {
  if (table.empty() || !table[0].first.empty())
    return DamagedBundle("the index must begin with its header", "none", prefix);
  const auto header = checkpoint::DecodeHeader(table[0].second);
  if (!header || header->num_shards < 1)
    return DamagedBundle("the header must name the data files", "none", prefix);
  if (!header->little_endian) {
    return Status(Code::kUnimplemented,
                  "[checkpoint] the elements must be little-endian; got big-endian ones (" +
                      prefix + "); save it again on another machine");
  }
  shards = header->num_shards;
  for (size_t i = 1; i < table.size(); ++i) {
    const auto& [key, bytes] = table[i];
    auto entry = checkpoint::DecodeEntry(bytes);
    if (!entry || entry->shard >= shards)
      return DamagedBundle("an entry must say where its tensor is", "a broken one", PlaceOf(key));
    entries.emplace(key, std::move(*entry));
  }
  for (const auto& [key, entry] : entries) {
    if (!checkpoint::IsSliceKey(key)) List(key, entry);
  }
  return Status::Ok();
}

void TensorBundle::Index::List(const std::string& name, const BundleEntry& entry) {
  Entry about{name, DType::kInvalid, static_cast<int>(std::min<uint64_t>(entry.dtype, 1 << 20))};
  if (tensor::IsElementDType(entry.dtype)) about.dtype = static_cast<DType>(entry.dtype);
  if (entry.shape) about.shape = *entry.shape;
  about.bytes = entry.size;
  about.parts = static_cast<int>(entry.slices.size());
  for (const checkpoint::Slice& slice : entry.slices) {
    const auto part = entries.find(checkpoint::SliceKey(name, slice));
    if (part != entries.end()) about.bytes += part->second.size;
  }
  listed.push_back(std::move(about));
}

Status TensorBundle::Index::OpenData() {
  for (int shard = 0; shard < shards; ++shard) {
    LOCKSTEP_ASSIGN_OR_RETURN(auto file, files->Open(checkpoint::DataPath(prefix, shard, shards)));
    data.push_back(std::move(file));
  }
  return Status::Ok();
}

// Whether the entry can be of a tensor of ours that lies inside its file.
Status TensorBundle::Index::Check(const std::string& name, const BundleEntry& entry,
                                  int64_t* elements) const {
  if (!tensor::IsElementDType(entry.dtype) || !entry.shape) {
    return Status(Code::kUnimplemented,
                  "[checkpoint] a tensor is of a dtype of Lockstep's and has at most 8 axes; got "
                  "DataType " +
                      std::to_string(entry.dtype) + (entry.shape ? "" : " with more axes") + " (" +
                      PlaceOf(name) + "); cast or reshape it before it is saved");
  }
  const auto dtype = static_cast<DType>(entry.dtype);
  const auto size = static_cast<int64_t>(data[entry.shard]->size());
  if (entry.size > size || entry.offset > size - entry.size)
    return DamagedBundle("a tensor must lie inside its file",
                         std::to_string(entry.size) + " bytes at " + std::to_string(entry.offset),
                         PlaceOf(name));
  const int64_t most =
      dtype == DType::kString ? entry.size : entry.size / static_cast<int64_t>(DTypeSize(dtype));
  const auto count = tensor::ElementsUpTo(*entry.shape, most);
  const bool fits = count && (dtype == DType::kString ||
                              *count * static_cast<int64_t>(DTypeSize(dtype)) == entry.size);
  if (!fits)
    return DamagedBundle("a tensor has the bytes of its elements, " + entry.shape->ToString(),
                         std::to_string(entry.size), PlaceOf(name));
  *elements = *count;
  return Status::Ok();
}

Result<Tensor> TensorBundle::Index::Read(const std::string& name, const BundleEntry& entry) const {
  if (!entry.slices.empty()) return ReadParts(name, entry);
  int64_t count = 0;
  LOCKSTEP_RETURN_IF_ERROR(Check(name, entry, &count));
  const auto dtype = static_cast<DType>(entry.dtype);
  if (dtype == DType::kString) return ReadStrings(name, entry, count);
  auto buffer = tensor::Buffer::Allocate(dtype, count);
  const std::span<std::byte> bytes(static_cast<std::byte*>(buffer->data()), entry.size);
  LOCKSTEP_RETURN_IF_ERROR(data[entry.shard]->Read(entry.offset, bytes));
  if (base::MaskCrc(base::Crc32c(bytes)) != entry.checksum)
    return DamagedBundle("a tensor must have its checksum", "another", PlaceOf(name));
  return Tensor::FromBuffer(std::move(buffer), dtype, *entry.shape);
}

Result<Tensor> TensorBundle::Index::ReadStrings(const std::string& name, const BundleEntry& entry,
                                                int64_t count) const {
  std::string bytes(entry.size, '\0');
  LOCKSTEP_RETURN_IF_ERROR(
      data[entry.shard]->Read(entry.offset, std::as_writable_bytes(std::span(bytes))));
  const Status broken =
      DamagedBundle("strings must have their lengths and checksum", "others", PlaceOf(name));
  std::string_view rest = bytes;
  std::vector<uint64_t> lengths(count);
  for (uint64_t& length : lengths) {
    if (!base::TakeVarint(rest, length)) return broken;
  }
  if (rest.size() < sizeof(uint32_t)) return broken;
  rest.remove_prefix(sizeof(uint32_t));
  std::vector<std::string> values;
  values.reserve(count);
  for (const uint64_t length : lengths) {
    if (length > rest.size()) return broken;
    values.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (!rest.empty() || base::MaskCrc(checkpoint::StringsChecksum(values)) != entry.checksum ||
      !bytes.starts_with(checkpoint::EncodeStringLengths(values)))
    return broken;
  return Tensor::FromStrings(values, *entry.shape);
}

Status TensorBundle::Index::CheckParts(const std::string& name, const BundleEntry& entry,
                                       int64_t* elements) const {
  if (entry.shape->rank() == 0)
    return DamagedBundle("a part must have an axis", "a scalar", PlaceOf(name));
  int64_t total = 0;
  for (const checkpoint::Slice& slice : entry.slices) {
    const auto found = entries.find(checkpoint::SliceKey(name, slice));
    const auto shape = checkpoint::PartShape(*entry.shape, slice);
    if (found == entries.end() || !shape || !found->second.shape ||
        !(*shape == *found->second.shape) || found->second.dtype != entry.dtype ||
        !found->second.slices.empty())
      return DamagedBundle("a part must be there and fit", "another or none", PlaceOf(name));
    int64_t count = 0;
    LOCKSTEP_RETURN_IF_ERROR(Check(name, found->second, &count));
    total += count;
  }
  const auto count = tensor::ElementsUpTo(*entry.shape, total);
  if (!count || *count != total)
    return DamagedBundle("the parts must make up the whole, " + entry.shape->ToString(),
                         std::to_string(total) + " elements", PlaceOf(name));
  *elements = total;
  return Status::Ok();
}

Result<Tensor> TensorBundle::Index::ReadParts(const std::string& name,
                                              const BundleEntry& entry) const {
  int64_t count = 0;
  if (!tensor::IsElementDType(entry.dtype) || !entry.shape) return Check(name, entry, &count);
  LOCKSTEP_RETURN_IF_ERROR(CheckParts(name, entry, &count));
  const auto dtype = static_cast<DType>(entry.dtype);
  auto buffer = tensor::Buffer::Allocate(dtype, count);
  std::vector<char> covered(count, 0);
  for (const checkpoint::Slice& slice : entry.slices) {
    const auto& part_entry = entries.at(checkpoint::SliceKey(name, slice));
    LOCKSTEP_ASSIGN_OR_RETURN(const Tensor part, Read(name, part_entry));
    if (part.num_elements() == 0) continue;
    CopyElements(part, dtype, buffer->data(), *entry.shape, slice);
    const std::vector<char> ones(part.num_elements(), 1);
    CopyPart(ones.data(), part.shape(), covered.data(), *entry.shape, slice, 0);
  }
  if (std::find(covered.begin(), covered.end(), 0) != covered.end())
    return DamagedBundle("the parts must make up the whole", "parts that overlap", PlaceOf(name));
  return Tensor::FromBuffer(std::move(buffer), dtype, *entry.shape);
}

TensorBundle::TensorBundle(std::unique_ptr<Index> index) : index_(std::move(index)) {}
TensorBundle::TensorBundle(TensorBundle&&) noexcept = default;
TensorBundle& TensorBundle::operator=(TensorBundle&&) noexcept = default;
TensorBundle::~TensorBundle() = default;

const std::vector<TensorBundle::Entry>& TensorBundle::entries() const { return index_->listed; }
int TensorBundle::num_shards() const { return index_->shards; }

const TensorBundle::Entry* TensorBundle::Find(const std::string& name) const {
  const auto found =
      std::lower_bound(index_->listed.begin(), index_->listed.end(), name,
                       [](const Entry& a, const std::string& b) { return a.name < b; });
  return found != index_->listed.end() && found->name == name ? &*found : nullptr;
}

Result<Tensor> TensorBundle::Read(const std::string& name) const {
  const auto entry = index_->entries.find(name);
  if (entry == index_->entries.end() || checkpoint::IsSliceKey(name)) {
    return Status(Code::kNotFound, "[checkpoint] the tensor must be in the checkpoint; got none (" +
                                       index_->PlaceOf(name) +
                                       "); `lockstep checkpoint ls` lists what there is");
  }
  return index_->Read(name, entry->second);
}

Result<TensorBundle> TensorBundle::Open(const std::string& prefix) {
  return OpenOn(base::LocalFiles(), prefix);
}

Result<TensorBundle> TensorBundle::OpenOn(base::FileSystem& files, const std::string& prefix) {
  const std::string path = checkpoint::IndexPath(prefix);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string file, base::ReadWholeFile(files, path));
  LOCKSTEP_ASSIGN_OR_RETURN(const auto table, checkpoint::ReadTable(file, path));
  auto index = std::make_unique<Index>();
  index->files = &files;
  index->prefix = prefix;
  LOCKSTEP_RETURN_IF_ERROR(index->Load(table));
  LOCKSTEP_RETURN_IF_ERROR(index->OpenData());
  return TensorBundle(std::move(index));
}

}  // namespace lockstep
