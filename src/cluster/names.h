#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Names as people write them, and the names that they mean.

namespace lockstep::cluster {

/// From a name as `SimpleName` gives it to the one that is meant; "": none.
using Synonyms = std::map<std::string, std::string, std::less<>>;

/// chief, worker, ps, evaluator.
const std::vector<std::string>& JobNames();
bool IsJob(std::string_view name);
/// "workers" and "worker_hosts" mean worker, "master" means chief, ...
const Synonyms& JobSynonyms();

/// Which of `names` was meant by `text`: by a synonym, or as it differs in case, signs, a plural or
/// one letter; "" if none.
std::string MeantName(std::string_view text, const std::vector<std::string>& names,
                      const Synonyms& synonyms);

/// Whether one letter more, less, changed, or two swapped make one name the other.
bool DifferByOne(std::string_view a, std::string_view b);

/// The number at the end of a text, at most `most`: 3 of "worker-3".
std::optional<int> TrailingNumber(std::string_view text, int most);

}  // namespace lockstep::cluster
