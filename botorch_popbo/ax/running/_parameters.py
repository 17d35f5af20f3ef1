"""Keep in a file what Ax leaves out: the values of parameters that were added or disabled late."""

from ax.core.experiment import Experiment

_KEY = "botorch_popbo_parameters"  # in the properties of an experiment


def note_late_parameters(experiment: Experiment) -> None:
    """Write into the experiment which value earlier or later trials have of such parameters."""
    experiment._properties[_KEY] = {
        name: [parameter.backfill_value, parameter.default_value]
        for name, parameter in experiment.search_space.parameters.items()
        if parameter.backfill_value is not None or parameter.is_disabled
    }


def restore_late_parameters(experiment: Experiment) -> None:
    """Give parameters what :func:`note_late_parameters` wrote; without it trials have no place."""
    for name, (backfill, default) in experiment._properties.get(_KEY, {}).items():
        parameter = experiment.search_space.parameters[name]
        parameter._backfill_value, parameter._default_value = backfill, default
