"""Sequences of numbers: `keras.preprocessing.sequence`."""

from ..utils import pad_sequences  # noqa: F401


def make_sampling_table(size, sampling_factor=1e-5):
    """How probably the word of each rank is kept, where words follow Zipf's law."""
    import numpy
    gamma = 0.577
    rank = numpy.arange(size)
    rank[0] = 1
    inverse = rank * (numpy.log(rank) + gamma) + 0.5 - 1.0 / (12.0 * rank)
    kept = sampling_factor * inverse
    return numpy.minimum(1.0, kept / numpy.sqrt(kept))


def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1.0, shuffle=True, categorical=False,
              sampling_table=None, seed=None):
    """(pairs of a word and one near it or a drawn one, labels). 0 is no word."""
    import random
    couples, labels = [], []
    for i, word in enumerate(sequence):
        if not word or sampling_table is not None and sampling_table[word] < random.random():
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [one[0] for one in couples]
        random.shuffle(words)
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        seed = random.randint(0, 10**6) if seed is None else seed
        random.seed(seed)
        random.shuffle(couples)
        random.seed(seed)
        random.shuffle(labels)
    return couples, labels
