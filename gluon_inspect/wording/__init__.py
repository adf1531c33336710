"""Words for people: safe characters, short numbers, short layouts, the verdict. Shared by every renderer."""
