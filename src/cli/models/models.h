#pragma once

#include <memory>

#include "lockstep/nn/model.h"

/// The models of `lockstep train`.
namespace lockstep::cli {

/// 784-128-10 with relu; images are bytes [n, 28, 28].
std::unique_ptr<Model> MakeMlp();
/// Two convolutions, pooling and two dense layers; images are bytes [n, 28, 28]. `plain` leaves out
/// batch normalisation and dropout.
std::unique_ptr<Model> MakeCnn(bool plain);

struct GptOptions {
  int blocks = 4;
  int64_t width = 256;
  int64_t heads = 4;
  int64_t vocabulary = 256;
};
/// Predicts the next byte at every place: logits [n, tokens, vocabulary] from bytes [n, tokens].
std::unique_ptr<Model> MakeGpt(const GptOptions& options = {});
/// How many bytes an example of the gpt has.
inline constexpr int64_t kGptTokens = 128;

}  // namespace lockstep::cli
