"""A model provider on the loopback interface: it speaks the Anthropic Messages API, is scripted, and is as strict as the real one.

`provider` serves it inside a test's own event loop, `__main__` in a process of its own; `script` is what it answers. The modules
`strictjson`, `prompt`, `cache`, `rules` and `anthropic` are pure and can be used without a server. Nothing here knows Handgriff's turn:
it judges and answers bytes, whoever sent them.
"""
