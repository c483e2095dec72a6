"""Ids from tiny alphabets, so that operations meet, and times as seconds after `START`."""

from hypothesis import strategies as st

from handgriff.testing.samples import at

TENANTS, USERS, SESSIONS, NAMES = ("a", "a:b"), ("u", "v"), ("s1", "s2"), ("x", "y")

tenant = st.sampled_from(TENANTS)
user = st.sampled_from(USERS)
session = st.sampled_from(SESSIONS)
name = st.sampled_from(NAMES)
time = st.integers(0, 3).map(at)
