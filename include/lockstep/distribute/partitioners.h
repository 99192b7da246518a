#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lockstep/tensor/dtype.h"
#include "lockstep/tensor/shape.h"

namespace lockstep {

/// Into how many shards a variable of this shape and dtype is cut, an entry an axis. Only axis 0 is
/// cut; a scalar has no entry. Source: tf.distribute.experimental.partitioners.
using Partitioner = std::function<std::vector<int64_t>(const Shape& shape, DType dtype)>;

namespace partitioners {

/// `num_shards`, but no more than there are rows. InvalidArgument for fewer than one.
Partitioner FixedShards(int64_t num_shards);
/// As many as leave each shard at least about `min_shard_bytes`, at most `max_shards`.
/// InvalidArgument for numbers below one.
Partitioner MinSize(int64_t min_shard_bytes = 256 << 10, int64_t max_shards = 1,
                    int64_t bytes_per_string = 16);
/// As many as keep each shard within `max_shard_bytes` (but a row each at least), at most
/// `max_shards` where given. InvalidArgument for numbers below one.
Partitioner MaxSize(int64_t max_shard_bytes, std::optional<int64_t> max_shards = {},
                    int64_t bytes_per_string = 16);

}  // namespace partitioners

/// The rows of each of `shards` shards: as even as can be, the first ones one row longer.
std::vector<int64_t> ShardRows(int64_t rows, int64_t shards);

}  // namespace lockstep
