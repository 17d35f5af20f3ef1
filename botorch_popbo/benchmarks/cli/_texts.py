"""What ``popbo --help`` says of each command, with examples."""

EXAMPLES_TITLE = "examples:"
EXAMPLES = """\
examples:
  popbo compare --campaign first-look
  popbo compare --problems branin hartmann6 --methods popbo random
  popbo compare --campaign paper-functions --smoke
  popbo data fcnet fcnet_tabular_benchmarks.tar.gz --output tables
  popbo doctor"""
COMPARE = """\
Run methods side by side and report how they did. Every finished trial is kept in the output
folder: an interrupted run goes on when it is started again, and more trials or seeds add to
what is there. A method that fails, takes too long or leaves the search space loses its
replication and nothing else; the exit status is then 1."""
COMPARE_EXAMPLES = """\
examples:
  popbo compare --problems branin-outliers --methods popbo botorch-gp --trials 40 --seeds 5
  popbo compare --campaign paper-nasbench201 --data tables --output nas
  popbo compare --campaign mine.toml --backend ray --jobs 64"""
REPORT = """\
Report the trials in the output folder and run nothing. Without options these are all problems and
methods that popbo compare was asked for in this folder, with the trials, seeds and initial points
of the last command; options take precedence."""
REPORT_EXAMPLES = """\
examples:
  popbo report --output nas
  popbo report --output nas --methods popbo random --trials 20"""
COCO = """\
Write what popbo compare has recorded on COCO's functions in COCO's own format, a folder for each
method, which cocopp compares with its archives. Every point is evaluated once more by COCO.
Without options that is everything popbo compare was asked for in this folder."""
COCO_EXAMPLES = """\
examples:
  popbo coco-data --output mine
  python -m cocopp mine/coco/bbob/popbo mine/coco/bbob/cmaes"""
PREFER = """\
Ask a person which of two things is better, until q is typed. Every answer is saved, and the same
command goes on. A space is a TOML file: a table for each column, with one of the keys range,
integers, ordered and choices."""
PREFER_EXAMPLES = """\
examples:
  popbo prefer --space coffee.toml --state answers.json
  popbo prefer --state answers.json"""
LIST = "Print the names of problems, methods and campaigns."
LIST_EXAMPLES = """\
examples:
  popbo list | grep outliers"""
DOCTOR = """\
Say which packages, devices and tables were found, and the command that adds what is missing.
The exit status is 1 if a package is missing that is always needed."""
DOCTOR_EXAMPLES = """\
examples:
  popbo doctor --data tables"""
