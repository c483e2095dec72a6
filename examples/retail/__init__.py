"""A shop's assistant: shoppers look up, cancel, change, return and exchange their orders, and nothing else.

`records` and `rules` are the shop, which knows nothing of assistants; `database` keeps its records; `tools` are its contracts; `machines`
are its two workflows, a conversation and an order; `bindings` say from outside which tool belongs where; `assistant` joins them. So each
rule stands in one place: whose a record is (authority), when a call may come (bindings), which ids may be used (`Known`), what a person has
to agree to (plans), and what the shop does then (`rules`). `replay` and `violate` play written conversations against it.
"""
