"""The peer's side of the check that both sides of a benchmark do the same work: trains the MLP 784-128-10 with Adam,
batch 32, for three epochs on MNIST's IDX files and prints the mean test loss over three seeds.

usage: peer_loss.py tensorflow|torch|jax DIRECTORY
"""
import gzip, json, os, sys
import numpy as np

peer, directory = sys.argv[1:3]
BATCH, EPOCHS, SEEDS = 32, 3, (1, 2, 3)


def read(name, offset):
    with gzip.open(os.path.join(directory, name + '.gz')) as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


x, test_x = (read(n + '-images-idx3-ubyte', 16).reshape(-1, 784).astype('f') / 255 for n in ('train', 't10k'))
y, test_y = (read(n + '-labels-idx1-ubyte', 8).astype('int64') for n in ('train', 't10k'))


def with_tensorflow(seed):
    import tensorflow as tf
    tf.keras.utils.set_random_seed(seed)
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((784,)), layers.Dense(128, activation='relu'), layers.Dense(10)])
    model.compile('adam', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0)
    return model.evaluate(test_x, test_y, verbose=0)


def with_torch(seed):
    import torch
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    for layer in (model[0], model[2]):  # Keras's first values
        torch.nn.init.xavier_uniform_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    optimizer, loss_of = torch.optim.Adam(model.parameters()), torch.nn.CrossEntropyLoss()
    tx, ty = torch.from_numpy(x.copy()), torch.from_numpy(y.copy())
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(tx)).split(BATCH):
            optimizer.zero_grad()
            loss_of(model(tx[rows]), ty[rows]).backward()
            optimizer.step()
    with torch.no_grad():
        return loss_of(model(torch.from_numpy(test_x.copy())), torch.from_numpy(test_y.copy())).item()


def with_jax(seed):
    import jax, jax.numpy as jnp
    rng = np.random.default_rng(seed)
    def glorot(n, m):
        limit = (6 / (n + m)) ** .5
        return jnp.asarray(rng.uniform(-limit, limit, (n, m)).astype('f'))
    weights = [glorot(784, 128), jnp.zeros(128), glorot(128, 10), jnp.zeros(10)]
    def loss_of(p, a, b):
        logits = jax.nn.relu(a @ p[0] + p[1]) @ p[2] + p[3]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), b[:, None], 1))
    @jax.jit
    def step(p, m, v, t, a, b):
        g = jax.grad(loss_of)(p, a, b)
        m = [.9 * q + .1 * r for q, r in zip(m, g)]
        v = [.999 * q + .001 * r * r for q, r in zip(v, g)]
        rate = 1e-3 * jnp.sqrt(1 - .999 ** t) / (1 - .9 ** t)
        return [q - rate * r / (jnp.sqrt(s) + 1e-7) for q, r, s in zip(p, m, v)], m, v
    p, m, v, t = weights, [q * 0 for q in weights], [q * 0 for q in weights], 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for i in range(0, len(x), BATCH):
            t += 1
            p, m, v = step(p, m, v, float(t), x[order[i:i + BATCH]], y[order[i:i + BATCH]])
    return float(loss_of(p, test_x, test_y))


train = {'tensorflow': with_tensorflow, 'torch': with_torch, 'jax': with_jax}[peer]
print(json.dumps({'peer': peer, 'test_loss': float(np.mean([train(seed) for seed in SEEDS]))}))
