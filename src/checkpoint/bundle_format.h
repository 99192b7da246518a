#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/tensor/tensor.h"

/// The entries of a tensor bundle. Source: tensor_bundle.proto, ordered_code.h.

namespace lockstep::checkpoint {

/// Rows [start, start + length) of an axis; the whole axis where `length` is -1.
struct Extent {
  int64_t start = 0;
  int64_t length = -1;
  bool operator==(const Extent&) const = default;
};
using Slice = std::vector<Extent>;

/// A part of a tensor: "5 2 0,3:0,2".
struct SliceSpec {
  Shape whole;
  Slice slice;
};
std::optional<SliceSpec> ParseSliceSpec(const std::string& text);
/// The shape of the part; nothing where it lies outside.
std::optional<Shape> PartShape(const Shape& whole, const Slice& slice);

struct BundleHeader {
  int num_shards = 1;
  bool little_endian = true;
};
std::string EncodeHeader(const BundleHeader& header);
std::optional<BundleHeader> DecodeHeader(std::string_view bytes);

struct BundleEntry {
  uint64_t dtype = 0;
  std::optional<Shape> shape;  // none: one that Shape cannot hold
  int64_t shard = 0, offset = 0, size = 0;
  uint32_t checksum = 0;  // masked
  std::vector<Slice> slices;
};
std::string EncodeEntry(const BundleEntry& entry);
std::optional<BundleEntry> DecodeEntry(std::string_view bytes);

/// The key of a part of the tensor `name`.
std::string SliceKey(const std::string& name, const Slice& slice);
/// Whether `key` is one of a part.
inline bool IsSliceKey(std::string_view key) { return !key.empty() && key[0] == '\0'; }

/// PREFIX.index, PREFIX.data-00000-of-00001.
std::string IndexPath(const std::string& prefix);
std::string DataPath(const std::string& prefix, int shard, int shards);

/// What stands before the bytes of strings: their lengths, and a checksum of these.
std::string EncodeStringLengths(std::span<const std::string> values);
/// The checksum (not masked) that an entry of strings has, so far as `values` go.
uint32_t StringsChecksum(std::span<const std::string> values);

}  // namespace lockstep::checkpoint
