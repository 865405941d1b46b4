"""Compares the windowed reference loss with PyTorch: loss and gradient, by autograd, in double precision.

    TRAJMILL_INTEROP_POLICY_LOSS=cases.json npx vitest run test/interop/write-policy-loss.test.ts
    python -m venv VENV && VENV/bin/pip install torch==2.13.0
    VENV/bin/python test/interop/policy_correction_check.py cases.json

Without PyTorch nothing is compared, and that is said.
"""

import json
import sys

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(0)


def windowed_loss(case, theta):
    """The loss of one window as a trainer would write it: q detached, excluded tokens kept in the mean."""

    def tensor(name):
        return torch.tensor(case["tokens"][name], dtype=torch.float64)

    options = case["options"]
    old, rollout = tensor("old"), tensor("rollout")
    advantage = case["advantage"]
    q = torch.exp(old - rollout).detach()
    keep = (q >= options["q_min"]) & (q <= options["q_max"])
    rho = torch.exp(theta - old)
    clipped = torch.clamp(rho, 1 - options["epsilon"], 1 + options["epsilon"])
    surrogate = torch.minimum(rho * advantage, clipped * advantage)
    loss = -torch.where(keep, q * surrogate, torch.zeros_like(surrogate)).mean()
    if "reference" in case["tokens"]:
        difference = tensor("reference") - theta
        loss = loss + options["beta"] * (torch.exp(difference) - difference - 1).mean()
    if "entropy" in case["tokens"]:
        loss = loss - options["entropy_weight"] * tensor("entropy").mean()
    return loss, int((~keep).sum())


def main():
    with open(sys.argv[1], encoding="utf-8") as handle:
        cases = json.load(handle)
    worst = 0.0
    for number, case in enumerate(cases):
        theta = torch.tensor(case["tokens"]["theta"], dtype=torch.float64, requires_grad=True)
        loss, outside = windowed_loss(case, theta)
        loss.backward()
        ours = case["result"]
        off = [abs(loss.item() - ours["loss"])]
        off += [abs(a - b) for a, b in zip(theta.grad.tolist(), ours["gradient"], strict=True)]
        worst = max(worst, *off)
        if max(off) > 1e-9 or outside != ours["n_outside"]:
            sys.exit(f"case {number}: loss {loss.item()} is {ours['loss']}, gradients {theta.grad.tolist()}")
    print(f"{len(cases)} windows agree, the largest difference is {worst:.1e}")


if __name__ == "__main__":
    main()
