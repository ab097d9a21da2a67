"""The background worker: `python -m ldptui.engine.worker`, a child process that speaks JSON lines.

It reads one request a line from standard input, and ends when that ends, so that it never outlives
the app:

    {"run": {…Request}}   run this instead of whatever is running; a Question of the lab likewise
    {"cancel": key}       stop this run; what is finished stays
    {"quit": true}        end at once

(which attacks in Python may run is said on its command line, never by a request)

and writes, to standard output alone:

    {"ready": {"python": …, "numpy": …}}           once, when everything is imported
    {"started": key}                               the request is taken up
    {"key", "part", "shared": {…}}                 what all cells of a part have in common
    {"key", "part", "cells": [[index, own, theory, trials, metrics], …]}
    {"key", "frequencies": {column: values, …}}    of the first cell of the part "base"
    {"key", "bits": {column: values, …}}           its bit counts, where there are Bloom filters
    {"key", "rounds": {column: values, …}}         its rounds, where it is a campaign
    {"key", "round", "frequencies": {…}}           those of one round
    {"key", "snapshot": {"status": …, …}}          the lines before it are one consistent state
    {"key", "reply": {"status": …, …}}             of a question
    {"error": sentence}                            a line that is no request

A run that was asked for by hand names the scenario it belongs to as `whole`: what of it no part
covers is simulated last, as the part "rest", and all of it is kept in the store.

Only what changed since the last line is sent; `ldptui.engine.wire` puts it together. `own` and
`theory` come with a cell's first line and are null after it. Columns of numbers are little-endian
float64 (items: int32) in base64: exact, and decoded in no time.
"""
