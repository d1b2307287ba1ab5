"""A module that has a class of the same name as tests.test_names."""


class Opened:
    pass
