"""Compare our reader of Fortran with fparser2: both must find the same statements and loops in the tests' sources.

The product has its own reader, because it needs the column of each statement, loops that end at a label, and results
even if one statement is unknown. fparser returns only lines, finds no loop for a label with an action, refuses a file
for one statement, and reads about 3,000 lines per second, where our reader reads over 40,000.
"""

import runpy
from functools import cache
from pathlib import Path

import pytest
from fparser.common.readfortran import FortranStringReader
from fparser.common.sourceinfo import FortranFormat
from fparser.two.Fortran2003 import FortranSyntaxError, Interface_Block
from fparser.two.parser import ParserFactory
from fparser.two.utils import StmtBase, walk

from autoanalyzer.instrument.fortran.form import Form
from autoanalyzer.instrument.fortran.lines import read_lines
from autoanalyzer.instrument.fortran.meaning import Kind
from autoanalyzer.instrument.fortran.units import find_procedures
from autoanalyzer.instrument.line_markers import MarkedText

ROOT = Path(__file__).parents[3]
FILES = sorted(path for folder in ("samples", "tests/programs") for path in ROOT.glob(f"{folder}/**/*.f90"))
CONSTANTS = runpy.run_path(str(ROOT / "tools" / "mutations.py"))["constants"]
SOURCES = {
    f"{module}.{name}": ("FIXED" in name, text) for module, name, text in CONSTANTS(ROOT / "tests/instrument/fortran")
} | {str(path.relative_to(ROOT)): (False, path.read_text()) for path in FILES}
for origin in (
    "test_ends.UNNAMED",  # fparser stops after a main program without PROGRAM
    "test_preprocessor.MARKED",  # and does not count by line markers
):
    del SOURCES[origin]
# Sources that fparser refuses, by the reason. All others are compared.
REFUSED = {
    "test_includes.BLOCK",  # parts of programs
    "test_includes.OUTER",
    "test_includes.WORK",
    "test_random_programs.HELPERS",
    "test_stops.STOPS",
    "test_preprocessor.MACROS",  # macros and conditions
    "test_constructs.FIXED_EXTENSIONS",  # not of Fortran 2008
    "test_left_out.ASSIGNED",
    "test_lines.FIXED_HOLLERITH",
    "test_names.EXTERNAL",
    "test_tiny.HIDDEN",
    "test_openmp.CONTINUED_END",
    "test_lines.FIXED_TABS",  # fixed form that fparser does not read
    "test_loops.FIXED_WITHOUT_BLANKS",
    "test_oddities.WITHOUT_BLANKS",
    "test_refused.SUBMODULE",  # "module procedure" of a submodule
}
KINDS = {
    Kind.RETURN: "Return_Stmt",
    Kind.GOTO: "Goto_Stmt Arithmetic_If_Stmt",
    Kind.COMPUTED_GOTO: "Computed_Goto_Stmt",
    Kind.EXIT: "Exit_Stmt",
    Kind.CYCLE: "Cycle_Stmt",
    Kind.STOP: "Stop_Stmt Error_Stop_Stmt",
    Kind.CALL: "Call_Stmt",
    Kind.CONTINUE: "Continue_Stmt",
    Kind.IF: "If_Stmt",
    Kind.DO: "Label_Do_Stmt Nonlabel_Do_Stmt",
    Kind.END_DO: "End_Do_Stmt",
    Kind.CONSTRUCT: """If_Then_Stmt Select_Case_Stmt Select_Type_Stmt Associate_Stmt Block_Stmt Critical_Stmt
        Where_Construct_Stmt Forall_Construct_Stmt""",
    Kind.END_CONSTRUCT: """End_If_Stmt End_Select_Stmt End_Select_Type_Stmt End_Associate_Stmt End_Block_Stmt
        End_Critical_Stmt End_Where_Stmt End_Forall_Stmt""",
    Kind.BRANCH: """Else_Stmt Else_If_Stmt Case_Stmt Type_Guard_Stmt Masked_Elsewhere_Stmt Elsewhere_Stmt""",
    Kind.ENTRY: "Entry_Stmt",
    Kind.ASSIGNMENT: "Assignment_Stmt Pointer_Assignment_Stmt Stmt_Function_Stmt",
    Kind.EXECUTABLE: """Write_Stmt Read_Stmt Print_Stmt Open_Stmt Close_Stmt Inquire_Stmt Rewind_Stmt Backspace_Stmt
        Allocate_Stmt Deallocate_Stmt Nullify_Stmt Where_Stmt Forall_Stmt
        Flush_Stmt Endfile_Stmt Wait_Stmt""",
}
KIND = {name: kind for kind, names in KINDS.items() for name in names.split()}


def ours(fixed, text):
    lines = read_lines(text, Form(fixed, 72 if fixed else 132))
    marked = MarkedText(text, "x", lines.markers)
    procedures = find_procedures(lines.items)
    statements = {
        (marked.place(step.statement.start).line, step.statement.label, step.meaning.kind)
        for procedure in procedures
        for step in procedure.steps
    }
    return [procedure.meaning.name.lower() for procedure in procedures], statements


@cache
def theirs(fixed, text):
    """Return names and statements according to fparser; None if it refuses the source."""
    parser = ParserFactory().create(std="f2008")
    kept = "".join(f"{line[:72]}\n" for line in text.splitlines()) if fixed else text
    reader = FortranStringReader(kept, ignore_comments=True)
    reader.set_format(FortranFormat(not fixed, fixed))
    try:
        tree = parser(reader)
    except FortranSyntaxError:
        return None
    inside = {id(node) for block in walk(tree, Interface_Block) for node in walk(block, StmtBase)}
    nodes = [node for node in walk(tree, StmtBase) if id(node) not in inside]
    statements = {
        (node.item.span[0], str(node.item.label or ""), KIND[type(node).__name__])
        for node in nodes
        if type(node).__name__ in KIND
        and node.item is not None
        and type(node.parent).__name__ not in {"If_Stmt", "Where_Stmt", "Forall_Stmt"}
    }
    headers = [node for node in nodes if type(node).__name__ in {"Subroutine_Stmt", "Function_Stmt", "Program_Stmt"}]
    return [str(header.items[1]).lower() for header in headers], statements


@pytest.mark.parametrize("origin", SOURCES)
def test_statements_are_what_fparser_takes_them_for(origin):
    read = theirs(*SOURCES[origin])
    if read is None:
        assert origin in REFUSED
    else:
        names, statements = read
        our_names, our_statements = ours(*SOURCES[origin])
        assert our_names in (names, ["main", *names])  # a main program may have no PROGRAM statement
        assert {each for each in our_statements if each[2] in KINDS} == statements


def test_only_sources_of_tests_are_listed_as_refused():
    assert SOURCES.keys() >= REFUSED
