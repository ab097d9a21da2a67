"""The background worker as the app sees it: one warm child that runs, one that waits.

Everything here lives on the event loop: no thread, no NumPy. The worker's lines come in,
complete snapshots go out.
"""
