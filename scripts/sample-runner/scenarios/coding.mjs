const SLUG = `import re


def slugify(text, limit=None):
    """Lower-case words of text, joined by single dashes."""
    slug = re.sub(r"[^a-z0-9]", "-", text.lower())
    if limit is not None:
        slug = slug[:limit]
    return slug
`;

const SLUG_TEST = `import unittest

from textkit.slug import slugify


class SlugTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slugify("Early Frost"), "early-frost")


if __name__ == "__main__":
    unittest.main()
`;

const SLUG_HIDDEN = `import unittest

from textkit.slug import slugify


class HiddenSlugTest(unittest.TestCase):
    def test_runs_of_signs(self):
        self.assertEqual(slugify("frost -- and   dew"), "frost-and-dew")

    def test_edges(self):
        self.assertEqual(slugify("  (late) "), "late")

    def test_limit_leaves_no_dash(self):
        self.assertEqual(slugify("early frost", limit=6), "early")


if __name__ == "__main__":
    unittest.main()
`;

const DURATION = `import re

UNITS = {"h": 3600, "m": 60, "s": 1}


def seconds(text):
    """Seconds of a duration such as 2h30m or 45s."""
    match = re.match(r"(\\d+)([hms])", text)
    return int(match.group(1)) * UNITS[match.group(2)]
`;

const DURATION_TEST = `import unittest

from clockkit.duration import seconds


class DurationTest(unittest.TestCase):
    def test_single_unit(self):
        self.assertEqual(seconds("45s"), 45)
        self.assertEqual(seconds("2h"), 7200)


if __name__ == "__main__":
    unittest.main()
`;

const DURATION_HIDDEN = `import unittest

from clockkit.duration import seconds


class HiddenDurationTest(unittest.TestCase):
    def test_several_units(self):
        self.assertEqual(seconds("2h30m"), 9000)
        self.assertEqual(seconds("1h0m5s"), 3605)

    def test_bad_text(self):
        for text in ("", "soon", "5", "5m!"):
            with self.assertRaises(ValueError):
                seconds(text)


if __name__ == "__main__":
    unittest.main()
`;

/**
 * Sessions with nothing but a shell, in a small repository. `hidden` is a test that the agent never sees; it decides
 * whether the issue is resolved.
 */
export const CODING_SCRIPTS = [
  {
    name: 'textkit-slug',
    format: 'swe-agent',
    instance: 'sample__textkit-1',
    limit: 20,
    covers: ['shell_only', 'recovery'],
    files: {
      'textkit/__init__.py': '',
      'textkit/slug.py': SLUG,
      'tests/__init__.py': '',
      'tests/test_slug.py': SLUG_TEST,
    },
    hidden: { path: 'tests/test_hidden.py', text: SLUG_HIDDEN, module: 'tests.test_hidden' },
    issue:
      'slugify leaves runs of dashes and dashes at the edges: slugify("frost -- and   dew") gives "frost----and---dew", expected "frost-and-dew". With a limit the result may also end on a dash.',
    turns: [
      {
        command: 'ls -1 textkit tests && cat textkit/slug.py',
        say: 'I look at the package and the function first.',
      },
      {
        command: `python3 -c 'from textkit.slug import slugify; print(slugify("frost -- and   dew")); print(slugify("early frost", limit=6))'`,
        say: 'Reproducing both symptoms of the report.',
      },
      {
        command: `sed -i 's/\\[^a-z0-9\\]"/[^a-z0-9]+"/; s/text.lower())/text.lower()).strip("-")/' textkit/slug.py && python3 -c 'from textkit.slug import slugify; print(slugify("frost -- and   dew")); print(repr(slugify("early frost", limit=6)))'`,
        say: 'A run of other characters should become one dash, and the edges are stripped.',
      },
      {
        command: `sed -i 's/slug = slug\\[:limit\\]/slug = slug[:limit].rstrip("-")/' textkit/slug.py && python3 -m unittest -q tests.test_slug && git diff --stat`,
        say: 'The cut by the limit comes after the strip, so it needs its own.',
      },
      {
        submit: true,
        command: 'git add -A && git diff --cached',
        say: 'Both cases are right and the test passes. I submit the change.',
      },
    ],
  },
  {
    name: 'clockkit-duration',
    format: 'mini-swe-agent',
    instance: 'sample__clockkit-1',
    limit: 20,
    covers: ['shell_only', 'reasoning', 'recovery'],
    files: {
      'clockkit/__init__.py': '',
      'clockkit/duration.py': DURATION,
      'tests/__init__.py': '',
      'tests/test_duration.py': DURATION_TEST,
    },
    hidden: { path: 'tests/test_hidden.py', text: DURATION_HIDDEN, module: 'tests.test_hidden' },
    issue:
      'seconds("2h30m") returns 7200, the minutes are lost. Text that is no duration should raise ValueError, at present it is an AttributeError.',
    turns: [
      {
        command: 'ls -R clockkit tests && cat clockkit/duration.py',
        think: 'Small package. Read the function before anything else.',
        say: '',
      },
      {
        command: `python3 -c 'from clockkit.duration import seconds; print(seconds("2h30m")); print(seconds("soon"))'`,
        think: 'Both complaints should show in one run.',
        say: 'Reproducing the report.',
      },
      {
        command: `cat > check.py <<'EOF'
from clockkit.durations import seconds

assert seconds("2h30m") == 9000
EOF
python3 check.py`,
        think: 'A small script to check the fix with.',
        say: 'I write down the wanted behaviour as a script.',
      },
      {
        command: `sed -i 's/clockkit.durations/clockkit.duration/' check.py
cat > clockkit/duration.py <<'EOF'
import re

UNITS = {"h": 3600, "m": 60, "s": 1}
WHOLE = re.compile(r"(?:\\d+[hms])+")


def seconds(text):
    """Seconds of a duration such as 2h30m or 45s; ValueError for anything else."""
    if not WHOLE.fullmatch(text):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(count) * UNITS[unit] for count, unit in re.findall(r"(\\d+)([hms])", text))
EOF
python3 check.py && python3 -m unittest -q tests.test_duration`,
        think:
          'The module is called duration, my script had a typing error. Match the whole text, then add up the parts.',
        say: 'The import in my script was wrong. I correct it and rewrite the function.',
      },
      {
        command: 'rm check.py && git diff -- clockkit/duration.py > patch.txt && cat patch.txt',
        think: 'The helper script must not be in the patch.',
        say: 'I remove the helper and write the patch.',
      },
      {
        submit: true,
        command: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt',
        think: 'The patch touches the one file only.',
        say: '',
      },
    ],
  },
];
