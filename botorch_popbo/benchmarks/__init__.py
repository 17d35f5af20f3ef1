"""Compare optimization methods side by side: ``popbo compare``.

The campaign runs every method in a loop of its own (Ax's strategies in Ax's service loop) instead
of ``ax.benchmark``, because the latter returns a replication only when it has ended: nothing would
be on disk to resume from after an interruption, and a problem would need a known optimum and a
baseline.

Importing this package imports neither Ax nor any plotting library; its modules do.
"""
