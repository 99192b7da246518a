#pragma once

#include "lockstep/checkpoint/checkpoint.h"
#include "lockstep/nn/model.h"

/// Models and optimizers as objects of a checkpoint, under the names that Keras gives their parts,
/// so that a checkpoint of
///
///   Checkpoint checkpoint({{"model", TrackModel(model)}, {"optimizer", TrackOptimizer(model)}});
///
/// is restored by tf.train.Checkpoint(model=..., optimizer=...) with Keras's, and the other way
/// round. Weights that do not exist yet are not part of it: build the model first.

namespace lockstep {

/// The layers of a model, which must stay alive: of a Sequential under _functional/_operations, of
/// a functional model of `inputs` inputs under _operations, of any other under their names.
Trackable TrackModel(const Model& model, int inputs = 1);
/// One layer with its weights and the layers inside.
Trackable TrackLayer(const Layer& layer);
/// The compiled optimizer: iterations, learning rate, slots and the weights that it trains, in
/// Keras's order. Those of adafactor differ from Keras's. Of several workers each has only its rows
/// of the slots while `Fit` runs: save behind it, or by Model::SaveTraining.
/// FailedPrecondition for a model that is not compiled.
Trackable TrackOptimizer(const Model& model);

}  // namespace lockstep
