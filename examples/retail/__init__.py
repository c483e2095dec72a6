"""A shop's assistant: shoppers look up, cancel, change, return and exchange their orders, and nothing else.

`records` and `rules` are the shop, which knows nothing of assistants; `database` keeps its records; `tools` are its contracts; `assistant`
joins them. `replay` and `violate` play written conversations against it.
"""
