#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "check/flat_graph.h"
#include "check/values.h"

namespace lockstep::check {

/// Begin, begin + stride and so on, below end, of one axis.
struct Range {
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
  int64_t stride = 1;
};

/// Places of a variable.
struct TouchedPlaces {
  /// Each by its indices on the first axes ([3]: row 3, [3, 1]: an element or a row of row 3);
  /// sorted.
  std::vector<std::vector<int64_t>> points;
  /// And all whose indices on the first axes are in the ranges of one of these.
  std::vector<std::vector<Range>> boxes;
  bool empty() const { return points.empty() && boxes.empty(); }
};
/// Null: they are not known.
using Places = std::shared_ptr<const TouchedPlaces>;
/// A variable's shape, -1 for a size that is not known.
using KnownShape = std::optional<std::vector<int64_t>>;

/// The rows, or with `tuples` the places, that constants list.
Places PlacesListedBy(const FlatGraph& flat, const Conditions& conditions, const Edge& list,
                      bool tuples);
/// The places that a strided slice op (of which begin is input `begin`) touches, where its bounds
/// are constants.
Places PlacesOfSlice(const FlatGraph& flat, const Conditions& conditions, int node, int begin,
                     const KnownShape& shape);
/// The places that are taken out of what a read gives; null where all may be.
Places PlacesTakenFrom(const FlatGraph& flat, const Conditions& conditions, int read,
                       const KnownShape& shape);

/// Whether no place of one is, or is inside of, a place of the other.
bool Apart(const Places& a, const Places& b);

}  // namespace lockstep::check
