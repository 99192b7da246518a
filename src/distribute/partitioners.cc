#include "lockstep/distribute/partitioners.h"

#include <algorithm>
#include <string>

#include "lockstep/base/status.h"

namespace lockstep {

namespace {

void RequirePositive(const char* where, const char* what, int64_t value) {
  if (value >= 1) return;
  throw Error(Code::kInvalidArgument, std::string("[") + where + "] " + what +
                                          " must be at least 1; got " + std::to_string(value));
}

// `count` shards on axis 0, between one and a shard a row.
std::vector<int64_t> OnFirstAxis(const Shape& shape, int64_t count) {
  std::vector<int64_t> shards(shape.rank(), 1);
  if (!shards.empty()) shards[0] = std::clamp<int64_t>(count, 1, std::max<int64_t>(1, shape[0]));
  return shards;
}

int64_t ElementBytes(DType dtype, int64_t bytes_per_string) {
  return dtype == DType::kString ? bytes_per_string : static_cast<int64_t>(DTypeSize(dtype));
}

}  // namespace

namespace partitioners {

Partitioner FixedShards(int64_t num_shards) {
  RequirePositive("FixedShards", "num_shards", num_shards);
  return [num_shards](const Shape& shape, DType) { return OnFirstAxis(shape, num_shards); };
}

Partitioner MinSize(int64_t min_shard_bytes, int64_t max_shards, int64_t bytes_per_string) {
  RequirePositive("MinSize", "min_shard_bytes", min_shard_bytes);
  RequirePositive("MinSize", "max_shards", max_shards);
  RequirePositive("MinSize", "bytes_per_string", bytes_per_string);
  return [=](const Shape& shape, DType dtype) {
    const int64_t bytes = shape.num_elements() * ElementBytes(dtype, bytes_per_string);
    return OnFirstAxis(shape,
                       std::min(max_shards, (bytes + min_shard_bytes - 1) / min_shard_bytes));
  };
}

Partitioner MaxSize(int64_t max_shard_bytes, std::optional<int64_t> max_shards,
                    int64_t bytes_per_string) {
  RequirePositive("MaxSize", "max_shard_bytes", max_shard_bytes);
  if (max_shards) RequirePositive("MaxSize", "max_shards", *max_shards);
  RequirePositive("MaxSize", "bytes_per_string", bytes_per_string);
  return [=](const Shape& shape, DType dtype) {
    if (shape.rank() == 0) return std::vector<int64_t>();
    const int64_t row = shape.product(1, shape.rank()) * ElementBytes(dtype, bytes_per_string);
    const int64_t rows = std::max<int64_t>(1, max_shard_bytes / std::max<int64_t>(1, row));
    int64_t count = (shape[0] + rows - 1) / rows;
    if (max_shards) count = std::min(count, *max_shards);
    return OnFirstAxis(shape, count);
  };
}

}  // namespace partitioners

std::vector<int64_t> ShardRows(int64_t rows, int64_t shards) {
  RequirePositive("ShardRows", "shards", shards);
  std::vector<int64_t> sizes(shards, rows / shards);
  for (int64_t i = 0; i < rows % shards; ++i) ++sizes[i];
  return sizes;
}

}  // namespace lockstep
