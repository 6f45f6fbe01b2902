"""Which regions a build has: modes, and the plan that changes what they say."""
