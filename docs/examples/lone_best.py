"""A best outcome far from the others: is it believed, what is suggested next, and if it was luck?

The file has evaluations of a decision tree on scikit-learn's diabetes data, whoever chose them: a
column for each parameter in the order of ``SPACE``, then the mean squared error of five folds::

    OMP_NUM_THREADS=1 python docs/examples/lone_best.py FILE.csv
"""

import argparse

import pandas as pd
import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeRegressor
from torch import Tensor

from botorch_popbo import RankingGP, minimize
from botorch_popbo.space import Space

SPACE = {
    "max_depth": (1, 15),
    "min_samples_split": (0.01, 0.99),
    "min_samples_leaf": (0.01, 0.49),
    "min_weight_fraction_leaf": (0.01, 0.49),
    "max_features": (0.01, 0.99),
    "min_impurity_decrease": (0.0, 0.5),
}
FEATURES, TARGET = load_diabetes(return_X_y=True)


def loss(**parameters: float) -> float:
    """The mean squared error of five folds."""
    tree = DecisionTreeRegressor(random_state=0, **parameters)
    folds = KFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(tree, FEATURES, TARGET, cv=folds, scoring="neg_mean_squared_error")
    return -float(scores.mean())


def contradicted(X: Tensor, Y: Tensor, best: Tensor, reach: float, seed: int) -> list[str]:
    """What is held of the best after one, two and three neighbours that are as bad as the median.

    Args:
        X: Points of the unit cube, an ``n x d`` tensor.
        Y: Their outcomes, larger being better, an ``n x 1`` tensor.
        best: The best point, of shape ``d``.
        reach: Deviation of a neighbour in each column.
        seed: Seed of the neighbours.

    Returns:
        A word for each number of neighbours.
    """
    generator = torch.Generator().manual_seed(seed)
    near = best + reach * torch.randn(3, len(best), generator=generator, dtype=torch.double)
    told = Y.median() + 20.0 * torch.randn(3, 1, generator=generator, dtype=torch.double)
    words = []
    for number in (1, 2, 3):
        points = torch.cat([X, near[:number].clamp(0.0, 1.0)])
        model = RankingGP(points, torch.cat([Y, told[:number]])).fit()
        is_best = (model.known_X == best).all(-1)
        is_recommended = "recommended" if torch.equal(model.recommended, best) else "doubted"
        words.append("set aside" if bool(model.is_outlier[is_best].any()) else is_recommended)
    return words


def main() -> None:
    """Print what is made of the first 16, 20 and 24 rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    table = pd.read_csv(parser.parse_args().file)
    table.columns = [*SPACE, "value"]
    points = torch.tensor(table[[*SPACE]].to_numpy())
    every, outcomes = Space.read(SPACE).to_unit(points), -torch.tensor(table[["value"]].to_numpy())
    for number in (16, 20, 24):
        X, Y = every[:number], outcomes[:number]
        best = int(Y.argmax())
        means = RankingGP(X, Y).fit().posterior(X).mean.squeeze(-1)
        place = 1 + int((means > means[best]).sum())
        new = minimize(loss, SPACE, n_trials=1, start=table[:number]).history[-1]
        print(f"{number} rows: the best is in place {place}; the next one has {new.value:.0f}")
        for reach in (0.03, 0.08):
            cases = [contradicted(X, Y, X[best], reach, seed) for seed in range(10)]
            for told, words in enumerate(zip(*cases, strict=True), start=1):
                counts = {word: words.count(word) for word in sorted({*words})}
                print(f"    {told} bad neighbours within {reach}: {counts}")


if __name__ == "__main__":
    main()
