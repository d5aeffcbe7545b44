"""How the server answers a command that a page has sent."""

from django.db import connection

OF_THE_DRIVER = ("lsid", "txnNumber", "autocommit", "startTransaction", "batchSize")


def plan_of(command):
    """What ``explain`` says of a recorded command, with how much it really read."""
    asked = {
        name: value
        for name, value in command.items()
        if name not in OF_THE_DRIVER and not name.startswith("$")
    }
    return connection.database.command("explain", asked, verbosity="executionStats")


def stages(plan):
    """Every stage of the winning plan."""
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
    """How many documents were read for it, also by what is inside a stage."""
    if isinstance(plan, list):
        return sum(map(examined, plan))
    if not isinstance(plan, dict):
        return 0
    here = plan.get("executionStats", {}).get("totalDocsExamined", 0)
    return here + sum(examined(part) for name, part in plan.items() if name != "executionStats")
