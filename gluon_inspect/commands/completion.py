"""`gluon-inspect completion`: what a shell needs to complete commands, options, targets and files."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

NAME = "completion"
HELP = "print the completion script of bash, zsh or fish"
EXAMPLES = """
eval "$(gluon-inspect completion bash)"                                             in ~/.bashrc
eval "$(gluon-inspect completion zsh)"                                              in ~/.zshrc
gluon-inspect completion fish > ~/.config/fish/completions/gluon-inspect.fish
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Which shell."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(arguments: Namespace) -> int:
    """Print the script."""
    from argcomplete.shell_integration import shellcode

    sys.stdout.write(shellcode(["gluon-inspect"], shell=arguments.shell))
    return 0
