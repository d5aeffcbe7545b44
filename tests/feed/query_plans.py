"""The query plans of recorded commands."""

from django.db import connection

DRIVER_FIELDS = ("lsid", "txnNumber", "autocommit", "startTransaction", "batchSize")


def plan_of(command):
    """Explain a recorded command. Return the plan with execution statistics."""
    explained = {
        name: value
        for name, value in command.items()
        if name not in DRIVER_FIELDS and not name.startswith("$")
    }
    return connection.database.command("explain", explained, verbosity="executionStats")


def stages(plan):
    """Return all stages of the winning plan as a flat list."""
    results = []

    def walk(stage):
        results.append(stage)
        for name in ("inputStage", "outerStage", "innerStage"):
            if name in stage:
                walk(stage[name])
        for child in stage.get("inputStages", ()):
            walk(child)

    first = plan if "queryPlanner" in plan else plan["stages"][0]["$cursor"]
    winning = first["queryPlanner"]["winningPlan"]
    walk(winning.get("queryPlan", winning))
    return results


def examined(plan):
    """Return the number of documents that the plan and its sub-pipelines examined."""
    if isinstance(plan, list):
        return sum(map(examined, plan))
    if not isinstance(plan, dict):
        return 0
    here = plan.get("executionStats", {}).get("totalDocsExamined", 0)
    return here + sum(examined(part) for name, part in plan.items() if name != "executionStats")
