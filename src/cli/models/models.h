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

}  // namespace lockstep::cli
