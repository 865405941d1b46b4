"""Metrics of the sample tasks. Each takes the true answers and the predictions in the same order."""

import math


def auc(truth, predicted):
    """Area under the ROC curve by ranks; tied predictions share their mean rank."""
    order = sorted(range(len(truth)), key=lambda i: predicted[i])
    rank_sum = 0.0
    positives = 0
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and predicted[order[end + 1]] == predicted[order[start]]:
            end += 1
        shared_rank = (start + end) / 2 + 1
        for place in range(start, end + 1):
            if truth[order[place]] == 1:
                rank_sum += shared_rank
                positives += 1
        start = end + 1
    negatives = len(truth) - positives
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def rmse(truth, predicted):
    """Root of the mean squared error."""
    return math.sqrt(math.fsum((t - p) ** 2 for t, p in zip(truth, predicted)) / len(truth))


def macro_f1(truth, predicted):
    """Mean over the true classes of the F1 of each class."""
    scores = []
    for label in sorted(set(truth)):
        hit = sum(1 for t, p in zip(truth, predicted) if t == label and p == label)
        said = sum(1 for p in predicted if p == label)
        real = sum(1 for t in truth if t == label)
        scores.append(2 * hit / (said + real))
    return math.fsum(scores) / len(scores)
