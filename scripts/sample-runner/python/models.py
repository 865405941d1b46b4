"""Small models for the baselines, in plain Python. `rows` are lists of equal-length feature vectors."""

import math


def standardise(train, test):
    """Both sets scaled by the means and deviations of the training set."""
    columns = list(zip(*train))
    means = [math.fsum(column) / len(column) for column in columns]
    spreads = []
    for column, mean in zip(columns, means):
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in column) / len(column))
        spreads.append(spread or 1.0)

    def scale(rows):
        return [[(v - m) / s for v, m, s in zip(row, means, spreads)] for row in rows]

    return scale(train), scale(test)


def logistic(train, targets, test, epochs, rate, penalty):
    """Probabilities by stochastic gradient descent in row order."""
    train, test = standardise(train, test)
    weights = [0.0] * len(train[0])
    bias = 0.0

    def probability(row):
        z = bias + math.fsum(w * v for w, v in zip(weights, row))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))

    for epoch in range(epochs):
        step = rate / (1 + 0.1 * epoch)
        for row, target in zip(train, targets):
            gradient = probability(row) - target
            bias -= step * gradient
            weights = [w - step * (gradient * v + penalty * w) for w, v in zip(weights, row)]
    return [probability(row) for row in test]


def bayes(train, labels, test, floor):
    """Log-posteriors of each class under independent normal features, as a list of dicts."""
    models = {}
    for label in sorted(set(labels)):
        columns = list(zip(*(row for row, own in zip(train, labels) if own == label)))
        stats = []
        for column in columns:
            mean = math.fsum(column) / len(column)
            stats.append((mean, floor + math.fsum((v - mean) ** 2 for v in column) / len(column)))
        models[label] = (math.log(labels.count(label) / len(labels)), stats)

    def posterior(row):
        return {
            label: prior - math.fsum(math.log(var) / 2 + (v - mean) ** 2 / (2 * var) for v, (mean, var) in zip(row, stats))
            for label, (prior, stats) in models.items()
        }

    return [posterior(row) for row in test]


def neighbours(train, test):
    """For each test row the training indices from near to far (squared distance, standardised)."""
    train, test = standardise(train, test)
    ranked = []
    for row in test:
        far = [math.fsum((a - b) ** 2 for a, b in zip(row, other)) for other in train]
        ranked.append(sorted(range(len(train)), key=far.__getitem__)[:60])
    return ranked


def ridge(train, targets, test, penalty):
    """Least squares with a penalty on all weights but the intercept, by Gaussian elimination."""
    train, test = standardise(train, test)
    rows = [[1.0, *row] for row in train]
    size = len(rows[0])
    system = []
    for i in range(size):
        line = [math.fsum(row[i] * row[j] for row in rows) for j in range(size)]
        line[i] += penalty if i > 0 else 0.0
        system.append([*line, math.fsum(row[i] * target for row, target in zip(rows, targets))])
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(system[k][i]))
        system[i], system[pivot] = system[pivot], system[i]
        for k in range(size):
            if k != i:
                factor = system[k][i] / system[i][i]
                system[k] = [a - factor * b for a, b in zip(system[k], system[i])]
    weights = [system[i][size] / system[i][i] for i in range(size)]
    return [math.fsum(w * v for w, v in zip(weights, [1.0, *row])) for row in test]


def boosted_stumps(train, targets, test, rounds, rate, cuts):
    """Least-squares boosting of one-split trees; the splits tried are `cuts` quantiles of each feature."""
    base = math.fsum(targets) / len(targets)
    fitted = [base] * len(train)
    predicted = [base] * len(test)
    splits = []
    for feature in range(len(train[0])):
        ordered = sorted(row[feature] for row in train)
        for value in sorted({ordered[(c + 1) * len(ordered) // (cuts + 1)] for c in range(cuts)}):
            left = [i for i, row in enumerate(train) if row[feature] < value]
            if 0 < len(left) < len(train):
                splits.append((feature, value, left))
    for _ in range(rounds):
        rest = [target - value for target, value in zip(targets, fitted)]
        total = math.fsum(rest)
        best = None
        for feature, value, left in splits:
            inside = sum(rest[i] for i in left)
            gain = inside * inside / len(left) + (total - inside) ** 2 / (len(train) - len(left))
            if best is None or gain > best[0] + 1e-9:
                best = (gain, feature, value, inside / len(left), (total - inside) / (len(train) - len(left)))
        _, feature, value, low, high = best
        fitted = [f + rate * (low if row[feature] < value else high) for f, row in zip(fitted, train)]
        predicted = [p + rate * (low if row[feature] < value else high) for p, row in zip(predicted, test)]
    return predicted
