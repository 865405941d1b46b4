"""Writes the folder of a task: `public` for the agent, `private` with the hidden answers.

Usage: python3 make_task.py TASK_ID FOLDER; prints the facts of the task as JSON.
"""

import csv
import json
import os
import sys

from tasks import TASKS, draw


def write_csv(path, header, rows):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(task_id, folder):
    task = TASKS[task_id]
    train, test = draw(task_id)
    public = os.path.join(folder, "public")
    private = os.path.join(folder, "private")
    os.makedirs(public)
    os.makedirs(private)
    columns = list(train[0][0])
    write_csv(
        os.path.join(public, "train.csv"),
        [*columns, task["target"]],
        [[*features.values(), answer] for features, answer in train],
    )
    write_csv(os.path.join(public, "test.csv"), columns, [list(features.values()) for features, _ in test])
    keys = [features[task["id"]] for features, _ in test]
    pair = [task["id"], task["target"]]
    write_csv(os.path.join(public, "sample_submission.csv"), pair, [[key, task["sample_value"]] for key in keys])
    write_csv(os.path.join(private, "answers.csv"), pair, list(zip(keys, (answer for _, answer in test))))
    with open(os.path.join(public, "description.md"), "w") as out:
        out.write(task["overview"] + "\n")
    facts = {key: task[key] for key in ("id", "target", "metric", "is_lower_better", "overview", "n_train", "n_test")}
    print(json.dumps(facts))


if __name__ == "__main__":
    main(*sys.argv[1:])
