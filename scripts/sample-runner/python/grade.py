"""Grades one submission against the hidden answers.

Usage: python3 grade.py TASK_ID SUBMISSION ANSWERS; prints {"exists", "valid", "score", "error"} as JSON.
"""

import csv
import json
import os
import sys

from tasks import grade_rows


def grade(task_id, submission, answers_path):
    if not os.path.exists(submission):
        return {"exists": False, "valid": False, "score": None, "error": "submission.csv not found"}
    with open(answers_path, newline="") as source:
        answers = dict(list(csv.reader(source))[1:])
    try:
        with open(submission, newline="") as source:
            lines = list(csv.reader(source))
        if not lines:
            raise ValueError("the file is empty")
        score = grade_rows(task_id, lines[0], lines[1:], answers)
    except ValueError as error:
        return {"exists": True, "valid": False, "score": None, "error": str(error)}
    return {"exists": True, "valid": True, "score": score, "error": None}


if __name__ == "__main__":
    print(json.dumps(grade(*sys.argv[1:])))
