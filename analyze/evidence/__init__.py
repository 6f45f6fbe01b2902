"""What speaks for causes: attributes, what time they take, and which of them tell regions or ranks apart."""
