"""Shows what a run of the pipeline would do: `--dry-run`."""

from kafkasniff.cli.terminal.output import print_text
from kafkasniff.pipeline.planning import RunPlan
from kafkasniff.render.times import utc_text
from kafkasniff.render.words import count_text, escape, size_text

_SHOWN_RINGS = 50
_SHOWN_REASONS = 10


def show_plan(plan: RunPlan, run: str, at_once: int | None) -> None:
    """Print what would be read, and by how many tasks; `at_once`: how many run at once, None where it is not known."""
    new = sum(each.files for each in plan.new)
    lines = [f"run {run}: {new:,} of {count_text(plan.files, 'file')} would be read, {size_text(plan.size)}"]
    if plan.changed is not None:
        lines.append(f"all would be read again: {escape(plan.changed)}")
    for each in sorted(plan.new, key=lambda each: -each.size)[:_SHOWN_RINGS]:
        begin = "no packets" if each.first_time is None else f"from {utc_text(each.first_time, 6)}"
        lines.append(f"  {escape(each.ring)}: {count_text(each.files, 'file')}, {size_text(each.size)}, {begin}")
    if (more := len(plan.new) - _SHOWN_RINGS) > 0:
        lines.append(f"  and {count_text(more, 'rotated capture')} more")
    lines += [f"would not be read: {escape(reason)}" for reason in plan.unread[:_SHOWN_REASONS]]
    if (more := len(plan.unread) - _SHOWN_REASONS) > 0:
        lines.append(f"would not be read: {count_text(more, 'more file')}")
    if plan.steps:
        tasks = f"{count_text(plan.index_tasks, 'task')} for the index, {plan.buckets:,} for calls in each step"
        where = "the cluster decides how many run at once" if at_once is None else f"{at_once:,} at once"
        lines.append(f"{count_text(plan.steps, 'step')}; about {tasks}; {where}")
    print_text("\n".join(lines) + "\n")
