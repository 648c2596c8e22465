"""Tresen, the front desk that stays in the house."""

__version__ = "0.1.0"
