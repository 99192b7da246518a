#pragma once

// All layers.

#include "lockstep/nn/layers/activation.h"
#include "lockstep/nn/layers/attention.h"
#include "lockstep/nn/layers/convolution.h"
#include "lockstep/nn/layers/core.h"
#include "lockstep/nn/layers/merging.h"
#include "lockstep/nn/layers/normalization.h"
#include "lockstep/nn/layers/pooling.h"
#include "lockstep/nn/layers/recurrent.h"
#include "lockstep/nn/layers/regularization.h"
#include "lockstep/nn/layers/reshaping.h"
