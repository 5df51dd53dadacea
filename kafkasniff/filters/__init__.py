"""Which calls to show: expressions such as `api == fetch and latency > 100ms`, and their short forms.

How it works:

- `grammar` parses an expression with Lark (LALR, so that no input takes long), and makes its predicate as it goes.
- `tests.make_test` makes the predicate of one field, one operator and its values, and says what is wrong with them.
  A name or a pattern of APIs or errors becomes the set of their numbers; the values of texts (topics, client ids) are
  tested once each and remembered, which also tells what there was where nothing matched (`predicates.Values`).
- `fields` declares the fields, `paths` finds those of bodies (`request.acks`) in the definitions of all APIs.
- `predicates` joins predicates; `and` and `or` ask the cheapest first, so that a call whose header says no has no body
  read. `bodies` reads of a body only the fields asked for, and nothing of APIs that have none of them.
- `short_forms` makes the same predicates from options, without a parser.
- `filter.Filter` is what others use.

What is matched comes from the wire: patterns are matched in time proportional to their text (RE2; globs piece by
piece), and expressions have a greatest length and depth.
"""
