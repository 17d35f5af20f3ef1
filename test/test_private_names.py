"""Private names of Ax, BoTorch, … that the package uses or overrides are listed, and exist."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
THEIRS = ("ax", "botorch", "optuna", "gpytorch", "linear_operator")
#: What for, where they are, and which they are: there is no public way.
ROWS = {
    # The experiment and the strategy of a client.
    "ax.api.client.Client": "_experiment _maybe_generation_strategy",
    # What a transform needs to know of the goal.
    "ax.adapter.base.Adapter": "_experiment _optimization_config",
    # What a suggestion would maximize.
    "ax.adapter.torch.TorchAdapter": (
        "_get_transformed_gen_args _get_transformed_model_gen_args _search_space"
    ),
    "ax.generators.torch.botorch_modular.generator.BoTorchGenerator": (
        "_acquisition _botorch_acqf_options _instantiate_acquisition"
    ),
    # What it is for, kept beside it.
    "ax.core.generator_run.GeneratorRun": "_gen_metadata",
    # Trials outside of the space, and another goal.
    "ax.generation_strategy.generation_node.GenerationNode": "_fit _fitted_adapter",
    # Where parameters that do not matter go back to.
    "ax.generators.torch.botorch_modular.acquisition.Acquisition": "_pruning_target_point",
    # To be defined by each stopping.
    "ax.global_stopping.strategies.base.BaseGlobalStoppingStrategy": "_should_stop_optimization",
    "ax.early_stopping.strategies.base.BaseEarlyStoppingStrategy": (
        "_is_harmful _should_stop_trials_early"
    ),
    # Constraints of a trial, and its point, kept beside it.
    "optuna.samplers._base": "_process_constraints_after_trial _storage _trial_id",
    # The answers of a preferential study, which the dashboard keeps among the attributes.
    "optuna.study.study.Study": "_study_id _storage",
    # The numerics of the logarithm.
    "botorch.acquisition.analytic": "_log_ei_helper",
    # Says which values are logarithms, as Ax asks where it prunes parameters.
    "botorch.acquisition.acquisition": "_log",
    # The type of DEFAULT.
    "botorch.utils.types": "_DefaultType",
    # Points that stay as they were given.
    "botorch.models.model.Model": "_revert_to_original_inputs _set_transformed_inputs",
    # To be defined by each posterior.
    "botorch.posteriors.posterior.Posterior": "_extended_shape",
    # To be defined by each test function.
    "botorch.test_functions.base.BaseTestProblem": "_evaluate_true",
    # To be defined by each test function.
    "botorch.test_functions.synthetic.SyntheticTestFunction": "_bounds _optimal_value _optimizers",
}
LISTED = {name for names in ROWS.values() for name in names.split()}
OF_PYTHON = {"_exit", "_actions", "_asdict", "_replace"}  # of os, argparse and named tuples
FILES = sorted((ROOT / "botorch_popbo").rglob("*.py"))
PRIVATE = re.compile(r"_[a-zA-Z]")


def module_of(where: str) -> ModuleType:
    """The module of a class, or the module itself."""
    try:
        return import_module(where)
    except ModuleNotFoundError:
        return import_module(where.rpartition(".")[0])


@pytest.mark.parametrize(("where", "names"), ROWS.items())
def test_each_exists(where: str, names: str) -> None:
    module = module_of(where)
    if module.__name__ != where:
        assert hasattr(module, where.rpartition(".")[2])
    for name in names.split():
        assert re.search(rf"\b{name}\b", inspect.getsource(module)), name


def overridden(ours: ast.ClassDef, path: Path) -> Iterator[str]:
    """Private names that a class of ours defines, and one of theirs that it is derived from too."""
    defined = set()
    for node in ours.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                defined.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                defined.add(name)
    private = {name for name in defined if PRIVATE.match(name)}
    if private:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for parent in getattr(module, ours.name).__mro__:
            if parent.__module__.split(".")[0] in THEIRS:
                yield from private & {*vars(parent), *vars(parent).get("__annotations__", ())}


def test_the_list_holds_what_is_overridden() -> None:
    found = {
        name
        for path in FILES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
        for name in overridden(node, path)
    }
    assert "_fit" in found  # else nothing is found
    assert found <= LISTED


def test_the_list_holds_what_is_used() -> None:
    own, used = set(), set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    own.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    own.add(name)
                case ast.Attribute(attr=name):
                    used.add(name)
                case ast.ImportFrom(module=str(module)) if module.split(".")[0] in THEIRS:
                    used.update(alias.name for alias in node.names)
    private = {name for name in used - own if PRIVATE.match(name)}
    assert private - OF_PYTHON <= LISTED
