"""Completions that a shell offers while a command is typed."""

import shlex
import subprocess

import pytest

from .conftest import refused, succeed

ASK = """
source <(cat)
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shtab_autoanalyzer "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""

OFFERS = {
    "autoanalyzer conv": {"convert"},
    "autoanalyzer compl": set(),
    "autoanalyzer refi": set(),
    "autoanalyzer --ver": {"--version"},
    "autoanalyzer run --counters ''": {"auto", "papi", "simulated", "none"},
    "autoanalyzer cut a.cubex --me": {"--metrics"},
    "autoanalyzer analyze ''": {"a.cubex", "out"},
    "autoanalyzer analyze --json ''": {"a.cubex", "b.c", "out"},
    "autoanalyzer regions b": {"b.c"},
    "autoanalyzer run -o ''": {"out"},
    "autoanalyzer run -- mpirun ./": {"./a.cubex", "./b.c", "./out"},
    "autoanalyzer stats a.cubex k": {"kmeans"},
}


def test_bash_completes_commands_options_choices_and_files(tool):
    for name in ("a.cubex", "b.c", "out/experiment.cube"):
        tool.write(name, "")
    script = succeed(tool("autoanalyzer", "completion", "bash")).stdout
    offered = {}
    for line in OFFERS:
        command = ["bash", "--norc", "-c", ASK, "bash", *shlex.split(line)]
        done = subprocess.run(command, input=script, cwd=tool.folder, capture_output=True, check=True)
        offered[line] = set(done.stdout.decode().split())
    assert offered == OFFERS


@pytest.mark.parametrize(("shell", "begins"), [("zsh", b"#compdef autoanalyzer"), ("fish", b"#")])
def test_other_shells_are_told_of_all_options(tool, shell, begins):
    script = succeed(tool("autoanalyzer", "completion", shell)).stdout
    assert script.startswith(begins)
    assert all(option in script for option in (b"max-overhead", b"dissimilarity-metric", b"plan-only"))


def test_an_unknown_shell_is_refused_with_those_that_are_known(tool):
    assert "'tcsh' (choose from" in refused(tool("autoanalyzer", "completion", "tcsh"))
