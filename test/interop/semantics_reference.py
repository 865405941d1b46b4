"""A second implementation of the rewards of execution windows and of the outcome-based selection.

Plain Python, standard library only, written from the published rules alone (MLExpert's reward table
and its two selection rules, MLE-bench's medals) and on purpose built differently from the package:
no lookup tables shared with it, exact fractions where the package uses doubles with a tolerance.

    python3 semantics_reference.py cases.json > answers.json

A case:

    {"id": "...",
     "lower": false,                       direction of the metric
     "thresholds": {"gold": .9, "silver": .8, "bronze": .7, "median": .6} | null,
     "executions": [                       in the order of their calls
        {"status": "ok" | "error" | "timeout" | "infrastructure",
         "observed": 3,                    rank of its feedback in time
         "feedback_turn": 8,
         "submission": null | {"score": 0.5 | "NaN" | "Infinity" | "-Infinity" | null, "scale": "test"},
         "invalidated": false}],
     "windows": {"scale": "test", "trend": "previous" | "best" | "none", "timeout": "error" | "masked"},
     "selection": {"quality": "median" | "bronze" | "silver" | "gold" | {"score": x} | {"quantile": q},
                   "corpus": [scores of that task on that scale, for a quantile],
                   "drop": 0.05, "drop_to": "last" | "worst", "unit": "span" | "absolute" | "tiers",
                   "scale": "test", "invalidated": false}}

An answer: {"id", "windows": [{"outcome", "trend", "reward"}], "initial": turn | null, "best": turn | null,
"cut": bool | null}. A trend is -1, 0 or 1 in steps of a fifth; a reward is a number or null.
"""

import json
import math
import sys
from fractions import Fraction


# --- scores and medals -------------------------------------------------------------------------


def number_of(raw):
    """The score as a finite number, or None where nothing can be compared."""
    if isinstance(raw, bool) or raw is None or isinstance(raw, str):
        return None
    return raw if math.isfinite(raw) else None


def reaches(score, bar, lower):
    """At the bar counts: medals and quality thresholds are inclusive."""
    return score <= bar if lower else score >= bar


def sign_of_change(now, before, lower):
    if now == before:
        return 0
    better = now < before if lower else now > before
    return 1 if better else -1


def medal(score, thresholds, lower):
    for tier in ("gold", "silver", "bronze"):
        bar = thresholds.get(tier)
        if bar is not None and reaches(score, bar, lower):
            return tier
    return None


def has_medal_bars(thresholds):
    return thresholds is not None and all(thresholds.get(t) is not None for t in ("gold", "silver", "bronze"))


def usable(execution):
    """A submission speaks only for an execution that ran: a file left by a failed one is stale."""
    return execution["status"] == "ok" and execution["submission"] is not None


# --- rewards of the windows ----------------------------------------------------------------------


def classify(execution, case):
    """The outcome of one execution, and the score that may serve as a reference (or None)."""
    options = case["windows"]
    status = execution["status"]
    if status == "infrastructure":
        return "infrastructure", None
    if status == "timeout" and options["timeout"] == "masked":
        return "masked", None
    if status in ("error", "timeout"):
        return "error", None
    submission = execution["submission"]
    if submission is None:
        return "no_submission", None
    score = number_of(submission["score"])
    if score is None:
        return "no_submission", None
    if submission["scale"] != options["scale"]:
        return "ungraded", None
    if not has_medal_bars(case["thresholds"]):
        return "ungraded", None
    return medal(score, case["thresholds"], case["lower"]) or "below_medal", score


def reward_windows(case):
    executions = case["executions"]
    verdicts = [classify(e, case) for e in executions]
    trends = [None] * len(executions)
    mode = case["windows"]["trend"]
    reference = None
    for index in sorted(range(len(executions)), key=lambda i: executions[i]["observed"]):
        score = verdicts[index][1]
        if score is None:
            continue
        if mode == "none" or reference is None:
            trends[index] = 0
        else:
            trends[index] = sign_of_change(score, reference, case["lower"])
        if mode == "best" and reference is not None:
            reference = min(reference, score) if case["lower"] else max(reference, score)
        else:
            reference = score
    windows = []
    for (outcome, _), trend in zip(verdicts, trends):
        if outcome in ("infrastructure", "masked", "ungraded"):
            tenths = None
        elif outcome == "error":
            tenths = -10
        elif outcome == "no_submission":
            tenths = -6
        elif outcome == "below_medal":
            tenths = -4 + 2 * trend
        elif outcome in ("bronze", "silver"):
            tenths = 10 + 2 * trend
        else:
            tenths = 20 + 2 * trend
        # A masked timeout is still an error of the agent; it only pays nothing.
        name = "error" if outcome == "masked" else outcome
        windows.append({"outcome": name, "trend": trend, "reward": None if tenths is None else tenths / 10})
    return windows


# --- selection -----------------------------------------------------------------------------------


def quality_bar(case):
    """The score that a trajectory must reach, or None where the task does not define one."""
    quality = case["selection"]["quality"]
    if isinstance(quality, str):
        return (case["thresholds"] or {}).get(quality)
    if "score" in quality:
        return quality["score"]
    from_worst = sorted(case["selection"]["corpus"], reverse=case["lower"])
    if not from_worst:
        return None
    rank = math.ceil(Fraction(str(quality["quantile"])) * len(from_worst))
    return from_worst[max(rank, 1) - 1]


def graded_events(case):
    """(score, feedback turn, invalidated) of each gradable submission on the scale, in the order of the calls."""
    rows = []
    for execution in case["executions"]:
        if not usable(execution) or execution["submission"]["scale"] != case["selection"]["scale"]:
            continue
        score = number_of(execution["submission"]["score"])
        if score is not None:
            rows.append((execution["observed"], score, execution["feedback_turn"], execution["invalidated"]))
    return rows


def initial_anchor(case):
    """The first complete solution decides alone: a later, better one does not repair it.

    First is what was launched first. Where executions run side by side the rules leave open whether the first to
    be launched or the first to be observed is meant; an execution is named by its call.
    """
    bar = quality_bar(case)
    events = graded_events(case)
    if bar is None or not events:
        return None
    _, score, turn, invalidated = events[0]
    if invalidated and not case["selection"]["invalidated"]:
        return None
    return turn if reaches(score, bar, case["lower"]) else None


def tier_rank(score, case):
    return {"gold": 3, "silver": 2, "bronze": 1, None: 0}[medal(score, case["thresholds"], case["lower"])]


def exceeds(drop, limit):
    """Greater by more than a billionth of the larger operand, so that .95 to .90 at .05 does not count."""
    return drop - limit > Fraction(1, 10**9) * max(abs(drop), abs(limit))


def best_anchor(case):
    """(turn, was something cut by the rule), or (None, None)."""
    bar = quality_bar(case)
    # Best and last are meant in time: a submission counts from when its result was seen.
    events = [e[1:] for e in sorted(graded_events(case)) if case["selection"]["invalidated"] or not e[3]]
    if bar is None or not any(reaches(e[0], bar, case["lower"]) for e in events):
        return None, None
    best_index = 0
    for index, event in enumerate(events):
        if sign_of_change(event[0], events[best_index][0], case["lower"]) > 0:
            best_index = index
    best = events[best_index]
    after = events[best_index + 1 :]
    if not after:
        return best[1], False
    if case["selection"]["drop_to"] == "last":
        end = after[-1][0]
    else:
        end = after[0][0]
        for event in after:
            if sign_of_change(event[0], end, case["lower"]) < 0:
                end = event[0]
    unit = case["selection"]["unit"]
    if unit == "tiers":
        if not has_medal_bars(case["thresholds"]):
            return None, None
        drop = Fraction(tier_rank(best[0], case) - tier_rank(end, case))
    else:
        # Doubles are taken as they are (exact fractions of them), not as decimals.
        drop = abs(Fraction(best[0]) - Fraction(end))
        if unit == "span":
            bars = case["thresholds"] or {}
            gold, median = bars.get("gold"), bars.get("median")
            if gold is not None and median is not None and gold != median:
                drop /= abs(Fraction(gold) - Fraction(median))
            elif best[0] != 0:
                drop /= abs(Fraction(best[0]))
    if exceeds(drop, Fraction(case["selection"]["drop"])):
        return best[1], True
    return after[-1][1], False


# --- command -------------------------------------------------------------------------------------


def answer(case):
    turn, cut = best_anchor(case)
    return {
        "id": case["id"],
        "windows": reward_windows(case),
        "initial": initial_anchor(case),
        "best": turn,
        "cut": cut,
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as handle:
        cases = json.load(handle)
    json.dump([answer(case) for case in cases], sys.stdout, allow_nan=False)


if __name__ == "__main__":
    main()
