"""The shop's tools, a module a toolbox: who the shopper is, the catalogue, orders, items of orders, and the way to a person."""
