"""What is said of aggregate losses, worked by hand. Losses (1, 4, 2) have sums 4, 6 and 7."""

from __future__ import annotations

from worked import Worked, by_hand

SUMS = dict(losses=[1, 4, 2])
# Scores w and -w, at (w, threshold) = (1, 1) and (-1, 0).
SLOPES = dict(first=[3, 1], second=[2, 2], a=1, b=-1, c=1)

test_by_hand = by_hand("top-k", [
    Worked("def-individual-losses/hinge", dict(a="-1/2"), 1, "3/2"),
    Worked("def-individual-losses/hinge", dict(a="1/2"), 0, "1/2"),
    Worked("def-individual-losses/hinge", dict(a=5, c=3), 1, 1),  # c > 2 stands for a score of 0
    Worked("def-individual-losses/square", dict(a="-1/2"), 1, "9/4"),
    Worked("def-individual-losses/square", dict(a=3), 0, 4),
    # 1/2 + (-1), slope -1; 9 + 36/4, slope 6; 4 + 4 + 16/4, slope 4; 4 - 4 + 16/4, slope -4.
    Worked("def-individual-losses/conjugates", dict(a="1/2"), "-1/2", "-1/2",
           cell=dict(shape="hinge")),
    Worked("def-individual-losses/conjugates", dict(a=3), 18, 18, cell=dict(shape="square")),
    Worked("def-individual-losses/conjugates", dict(a=3), 12, 12, cell=dict(shape="margin-square")),
    Worked("def-individual-losses/conjugates", dict(a=-1), 4, 4, cell=dict(shape="squared-hinge")),
    Worked("def-individual-losses/conjugates", dict(a=-2), 2, 2, cell=dict(shape="absolute")),
    # At 0 the loss is log 2 / log 2, told as the base against 2.
    Worked("def-individual-losses", dict(score=0), 2, 2),
    # 3 of 4 and 2 of 4 are right: 4 * 3 * 2 against (3 + 2)^2; a class without examples.
    Worked("def-gmean", dict(losses=["3/16", "1/16", "2/16", "2/16"]), 24, 25),
    Worked("def-gmean", dict(losses=["1/16", 0, "1/16", 0]), 4, 4),
    Worked("def-gmean", dict(losses=[0, 0, "1/16", 0]), 0, 1, applies=False),
    # Losses 3, 1, 2: k = 2 has sum 5 and second largest 2; all of them 6, the largest 3.
    Worked("def-avt-k", dict(losses=[3, 1, 2, 0]), 16, 5 + 2 + 6 + 3, cell=dict(n=4, k=2)),
    # k times the sum of the two largest.
    Worked("text-cvar", SUMS, 12, 12),
    Worked("text-generalises", SUMS, 4 + 7, 4 + 7, cell=dict(n=3)),
    # Twice the second largest, and the two largest.
    Worked("text-dominates", SUMS, 4, 6),
    # 3 + 3 is twice 3, though not all are equal; 3 + 1 is not twice 1.
    Worked("text-dominates/printed", dict(losses=[3, 1, 3]), 1, 0),
    Worked("text-dominates/repaired", dict(losses=[3, 1, 3]), 1, 1),
    Worked("text-dominates/repaired", dict(losses=[3, 1, 1]), 0, 0),
    # AT_2 = 3 and AT_3 = 7/3: 2 * 7 - 3 * 6 = -4 and 2 * (6 - 7) = -2.
    Worked("text-dominates/monotone", SUMS, -2, 0, cell=dict(n=3)),
    # Twice the third largest; 2 * 7 - 2 * 6.
    Worked("text-dc-identity", SUMS, 2, 2, cell=dict(k=3)),
    # The maximum is convex; (0, 2) and (2, 0) have second largest 0, (1, 1) has 1.
    Worked("text-topk-nonconvex/printed", {}, 0, 1, cell=dict(n=2, k=1)),
    Worked("text-topk-nonconvex", {}, 1, 1, cell=dict(n=2, k=2)),
    # Smallest of (1, 4), (3, 0) and their sum (4, 4): 1 + 0 against 4.
    Worked("text-bottom-k", dict(first=[1, 4], second=[3, 0]), 1, 4, cell=dict(k=1)),
    # With one positive number of three the least over thresholds is at 0: 3, not 3 - 1.
    Worked("lemma-1", dict(losses=[3, 1, 2]), 5, 5),
    Worked("lemma-1", dict(losses=[3, -1, 2]), 5, 5, applies=False),
    Worked("lemma-1", dict(losses=[3, -1, -2]), 2, 3, applies=False),
    Worked("lemma-1/repaired", dict(losses=[3, -1, 2]), 1, 1),
    Worked("lemma-1/repaired", dict(losses=[3, -1, -2]), 0, 0),
    # n times the minimum is 6, the sum of the two largest: times k = 2, and times n = 3.
    Worked("eq-2/printed", SUMS, 12, 18, cell=dict(n=3)),
    Worked("eq-2", SUMS, 6, 6, cell=dict(n=3)),
    # 1 - 15/16 > 0, 1 - 1 = 0 at a score of 0; (1 + 1)^2 - 15/16 > 0 at -1.
    Worked("text-shift-truncate", dict(b="15/16"), 1, 1),
    Worked("text-shift-truncate", dict(b=1), 1, 0, applies=False),
    Worked("text-shift-truncate", dict(a=1, b="15/16"), 1, 1, cell=dict(shape="square")),
    # Losses 3, 9 and 2 at a score of -2, half less; hinge loss 0 at 1.
    Worked("figure-2", dict(a=-2, b="-1/2"), "5/2", 3, cell=dict(shape="hinge")),
    Worked("figure-2", dict(a=-2, b="1/2"), "17/2", 9, cell=dict(shape="square")),
    Worked("figure-2", dict(a=-2, b="1/2"), "3/2", 2, cell=dict(shape="absolute")),
    Worked("figure-2", dict(a=1, b="1/2"), 0, 0, cell=dict(shape="hinge")),
    # At w = 0, threshold 1/2: 2 * 1/2 + 1/2, twice. At 1, threshold 1: (4 - 1) + 1 + 1; at -1: 5.
    Worked("eq-3-convexity", SLOPES, 3, 10, cell=dict(n=2, k=1)),
    # The same with losses 0 and 2 at both ends: (2 - 1) + 1 + 1 and 2 + 1.
    Worked("eq-3-convexity/hinge", SLOPES, 3, 6, cell=dict(n=2, k=1)),
    # [[2 - 1] - 1/2] = [2 - 1/2 - 1]; 0 + 1 with b = -1, where [2 + 1 - 3] = 0; a = -1.
    Worked("lemma-2", dict(a=2, b="1/2", c=-1), "1/2", "1/2"),
    Worked("lemma-2", dict(a=2, b=-1, c=3), 1, 0, applies=False),
    Worked("lemma-2", dict(c=1), 0, 0),
    Worked("lemma-2", dict(a=-1, b=1, c=1), 0, 0, applies=False),
    Worked("lemma-2/repaired", dict(a=2, b="1/2", c=-1), "1/2", "1/2"),
    Worked("lemma-2/repaired", dict(a=2, b=-1, c=3), 1, 0, applies=False),
    Worked("lemma-2/repaired", dict(a=-1, b=1, c=1), 0, 0),
    # 1 becomes 4, the sum of two 8 from 6; 4 becomes 7, and the average grows by 3/2.
    Worked("text-outlier-sensitivity", dict(**SUMS, move=3, which=0), 1, "3/2",
           cell=dict(n=3, k=2)),
    Worked("text-outlier-sensitivity", dict(**SUMS, move=3, which=1), "3/2", "3/2",
           cell=dict(n=3, k=2)),
    Worked("text-outlier-sensitivity/attained", dict(**SUMS, move=3, which=0), "3/2", "3/2",
           cell=dict(n=3, k=2)),
    # Weights (1, 1, 0) give AT_2 itself, (2, 0, 0) twice the maximum; both have mass 2.
    Worked("new-least-majorant", dict(first=[1, 4, 2], second=[1, 1, 0]), 12, 12, cell=dict(n=3)),
    Worked("new-least-majorant", dict(first=[1, 4, 2], second=[0, 2, 0]), 12, 16, cell=dict(n=3)),
    Worked("new-least-majorant", dict(first=[1, 4, 2], second=[0, 0, 0]), 0, 0, applies=False,
           cell=dict(n=3)),
    # 3 * 4 + 2 * 2 + 1 * 1 and (3 - 2) * 4 + (2 - 1) * 6 + 1 * 7.
    Worked("new-least-majorant/spectral", dict(first=[1, 4, 2], second=[1, 3, 2]), 17, 17,
           cell=dict(n=3)),
])
