"""What we and our users test with: still clock, harness, loopback provider, conformance suites."""
