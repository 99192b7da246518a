#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

/// Which of `names` was probably meant by `word`: the only one that it begins, else the nearest in
/// (small) letters if it is near; "" if none is. "--step" means --steps, "TRAIN" means train.
std::string Nearest(const std::string& word, const std::vector<std::string>& names);
/// "; did you mean NAME?", or nothing.
std::string DidYouMean(const std::string& word, const std::vector<std::string>& names);

}  // namespace lockstep::cli
