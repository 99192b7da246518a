#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/distribute/partitioners.h"
#include "lockstep/ops/array.h"
#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A variable whose rows are spread over several: shard i is "name/part_i", the first ones a row
/// longer than the others where they are not even. Source:
/// tf.distribute's ShardedVariable.
class ShardedVariable {
 public:
  ShardedVariable() = default;
  /// Makes the shards, one after another, where variables are made now. Without a partitioner that
  /// of the scope decides, a coordinator's or a `ParameterServerStrategy`'s; without that there is
  /// one shard. InvalidArgument for a scalar, and for what a partitioner gives but a cut of axis 0.
  explicit ShardedVariable(const Tensor& initial, VariableOptions options = {},
                           Partitioner partitioner = nullptr);
  /// Shards that are there; dtypes and shapes but for the rows must agree.
  explicit ShardedVariable(std::vector<Variable> shards, std::string name = "Variable");

  const std::vector<Variable>& shards() const { return shards_; }
  const std::string& name() const { return name_; }
  DType dtype() const { return shards_[0].dtype(); }
  Shape shape() const;
  /// All rows. Source: conversion to a tensor.
  Tensor value() const;
  operator Tensor() const { return value(); }  // NOLINT: as a variable
  /// Each shard gets its rows; one after another.
  void Assign(const Tensor& value) const;
  void AssignAdd(const Tensor& delta) const;
  void AssignSub(const Tensor& delta) const;
  /// The rows `ids`; of each shard only those that it has are read and sent. Shapes: ids of any
  /// shape, result ids.shape + row. Errors: InvalidArgument for ids out of range.
  Tensor Lookup(const Tensor& ids) const;
  /// The same in a step on a batch: of each shard as many rows as there are ids are read, those of
  /// ids that it does not have for nothing. So all shapes are known, and a batch can be cut.
  Tensor LookupEach(const Tensor& ids) const;
  /// Joins the rows `ids` [n] with `updates` [n, ...], each where it is, in their order.
  void Scatter(ScatterKind kind, const Tensor& ids, const Tensor& updates) const;

  /// All shards as one variable that is read and assigned whole; for layers. Its ops are those of
  /// the shards, and tapes follow these. Unimplemented for other updates than assignments.
  Variable Whole() const;
  /// The shards that `variable` stands for; nullptr for any other one.
  static const ShardedVariable* Of(const Variable& variable);

 private:
  std::vector<Variable> shards_;
  std::vector<int64_t> begins_;  // of each shard, then the number of rows
  std::string name_;
};

}  // namespace lockstep
