"""Evidence for causes: attributes of regions and ranks, their seconds, and the decision table that selects causes."""
