"""Rules about consumer groups: rebalances and coordinators, members, errors that members get."""
