#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/flat_graph.h"
#include "check/values.h"

namespace lockstep::check {

/// Places of a variable, each by its indices on the first axes ([3]: row 3, [3, 1]: an element or
/// a row of row 3); sorted. Null: they are not known.
using Places = std::shared_ptr<const std::vector<std::vector<int64_t>>>;

/// The rows, or with `tuples` the places, that a constant lists.
Places PlacesListedBy(const FlatNode& node, bool tuples);
/// The rows that a strided slice op (of which begin is input `begin`) touches, where its bounds are
/// constants from the front.
Places PlacesOfSlice(const FlatGraph& flat, const Conditions& conditions, int node, int begin);
/// The rows that are taken out of what a read gives; null where all may be.
Places PlacesTakenFrom(const FlatGraph& flat, const Conditions& conditions, int read);

/// Whether no place of one is, or is inside of, a place of the other.
bool Apart(const Places& a, const Places& b);

}  // namespace lockstep::check
