"""The life of one report: a genuine user's beside a fake user's, step by step."""

from __future__ import annotations

from .view import ReportView
