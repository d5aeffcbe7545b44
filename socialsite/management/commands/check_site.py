"""``manage.py check_site``: print what works and what does not, with a fix for each problem.

The exit code is 1 if there is a problem. The command runs the checks of ``/health/ready`` and those of
``socialsite.monitoring.site_checks``.
"""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from socialsite.monitoring.readiness import readiness_checks, run_checks
from socialsite.monitoring.site_checks import SITE_CHECKS, setting_problems

MAIL_SECONDS = 15.0


class Command(BaseCommand):
    help = "Check the site and its settings; print a fix for each problem."
    requires_system_checks: list[str] = []  # the command prints their results itself

    def handle(self, **options: Any) -> None:
        checks = readiness_checks()
        results = {**run_checks(checks)}
        results |= run_checks(SITE_CHECKS, seconds=MAIL_SECONDS)
        checks |= SITE_CHECKS
        problems = [problem for problem in results.values() if problem is not None]
        for name, problem in results.items():
            if problem is None:
                self.stdout.write(f"OK       {checks[name].success}")
        for problem in [*problems, *(more := setting_problems())]:
            self.stdout.write(f"PROBLEM  {problem.text}\n         {problem.fix}")
        count = len(problems) + len(more)
        self.stdout.write(f"\n{count} problem{'' if count == 1 else 's'}")
        if count:
            sys.exit(1)
