"""Documents drawn from topics, as sparse rows: in place of text that cannot be bundled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.domains import COUNT

__all__ = ["REUTERS", "documents"]

REUTERS = (3900, 2400, 1300, 850, 700, 600, 550, 520, 500)
"""Sizes of the nine classes of Figure 2(c): what print reads off is 500 to nearly 4,000."""


def documents(
    n: int, *, rng: np.random.Generator, sizes: tuple[int, ...] = REUTERS, words: int = 500,
    keywords: int = 40, share: float = 0.2, length: float = 40.0, known: int = 0,
    per_class: int = 0,
) -> tuple[Any, NDArray[np.int64]]:
    r"""Documents of common words and of their topic's keywords, weighted and of norm 1.

    Parameters
    ----------
    n : int
        Number of documents.
    rng : Generator
        Draws topics and documents.
    sizes : tuple of int
        Classes in proportion, each with one document at least.
    words, keywords : int
        Size of the vocabulary, and how many of it are keywords of a class.
    share : float
        Of keywords in a document.
    length : float
        Median number of words; logarithms have standard deviation one half.
    known, per_class : int
        Of the first so many documents each class has so many at least: topics are drawn again
        until then, before any words are.

    Returns
    -------
    points : sparse matrix, shape (n, words)
        $(1+\ln\text{count})$ times the inverse document frequency, rows of norm 1.
    labels : array of int, shape (n,)

    Examples
    --------
    >>> x, t = documents(300, rng=np.random.default_rng(1))
    >>> x.shape, len(np.unique(t)), bool(x.nnz < 0.2 * 300 * 500)
    ((300, 500), 9, True)
    """
    from scipy.sparse import csr_array

    COUNT.check("n", n)
    classes, proportions = len(sizes), np.array(sizes) / sum(sizes)
    common = rng.dirichlet(np.full(words, 0.05))
    topics = np.empty((classes, words))
    for q in range(classes):
        own = np.zeros(words)
        own[rng.choice(words, keywords, replace=False)] = rng.dirichlet(np.full(keywords, 0.5))
        topics[q] = (1 - share) * common + share * own
    while True:
        others = rng.choice(classes, n - classes, p=proportions)
        labels = np.concatenate([np.arange(classes), others])
        rng.shuffle(labels)
        if np.bincount(labels[:known], minlength=classes).min() >= per_class:
            break
    lengths = np.clip(length * np.exp(rng.normal(0, 0.5, size=n)), 10, 400).astype(int)
    of = np.repeat(np.arange(n), lengths)
    drawn = np.empty(len(of), np.int64)
    ends = np.cumsum(np.bincount(labels, lengths, minlength=classes))[:-1].astype(int)
    # Of so short numbers this is a sort by counting.
    by_topic = np.argsort(labels.astype(np.uint16)[of], kind="stable")
    for at, topic in zip(np.split(by_topic, ends), topics, strict=True):
        uniform = rng.random(len(at))
        # Few words are looked for among the draws: far fewer than draws among the words.
        order = np.argsort(uniform)
        ends = np.searchsorted(uniform[order], np.cumsum(topic)[:-1])
        drawn[at[order]] = np.repeat(np.arange(words), np.diff(ends, prepend=0, append=len(at)))
    # Sorted as whole numbers: SciPy's own way to sum words that repeat takes most of the time.
    entries, times = np.unique(of * words + drawn, return_counts=True)
    rows, columns = np.divmod(entries, words)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    seen = np.maximum(np.bincount(columns, minlength=words), 1)
    weights = (1 + np.log(times)) * (np.log(n / seen) + 1)[columns]
    weights *= (1 / np.maximum(np.sqrt(np.add.reduceat(weights**2, starts[:-1])), 1e-12))[rows]
    return csr_array(
        (weights, columns.astype(np.int32), starts.astype(np.int32)), shape=(n, words)
    ), labels
