"""What users can send, and what that tells: laws of reports, supports, losses."""
