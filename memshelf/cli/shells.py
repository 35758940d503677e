"""The completion scripts of bash, zsh and fish, made of what the verbs' parsers take."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memshelf.cli import VERBS
from memshelf.cli.completion import ANY, FILES, FLAG, FOLDERS, LIVE, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.cli.completion import Slot

    Slots = dict[str, list[Slot]]

BASH = r"""# bash completion for memshelf: eval "$(memshelf completion bash)"
_memshelf_flags() {
  case $1 in
@FLAGS@
  esac
}
_memshelf_wants() {
  case "$1 $2" in
@WANTS@
  esac
}
_memshelf() {
  local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} flag='' place=1 open='' wants at word
  COMPREPLY=()
  for (( at = 2; at < COMP_CWORD; at++ )); do
    word=${COMP_WORDS[at]}
    if [[ $word == '=' ]]; then continue
    elif [[ -n $flag ]]; then flag=''
    elif [[ $word == -* ]]; then [[ -n $(_memshelf_wants "$verb" "$word") ]] && flag=$word
    else place=$(( place + 1 ))
    fi
  done
  [[ $cur == '=' ]] && cur=''
  if (( COMP_CWORD < 2 )); then wants='words @VERBS@ --help --version'
  elif [[ -n $flag ]]; then wants=$(_memshelf_wants "$verb" "$flag")
  elif [[ $cur == -* ]]; then wants="words $(_memshelf_flags "$verb")"
  else
    wants=$(_memshelf_wants "$verb" $place)
    [[ -n $wants ]] || wants=$(_memshelf_wants "$verb" +)
  fi
  case $wants in
    words*) COMPREPLY=($(compgen -W "${wants#words}" -- "$cur")) ;;
    files) compopt -o filenames 2>/dev/null; IFS=$'\n'; COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) compopt -o filenames 2>/dev/null; IFS=$'\n'; COMPREPLY=($(compgen -d -- "$cur")) ;;
    live*)
      [[ $cur == [\"\']* ]] && open=1 && cur=${cur:1}
      cur=${cur//\\ / }
      IFS=$'\x1f'
      local typed="${COMP_WORDS[*]:0:COMP_CWORD+1}" program=${COMP_WORDS[0]/#\~/$HOME}
      while IFS= read -r word; do
        [[ $word == "$cur"* ]] || continue
        [[ -n $open ]] && COMPREPLY+=("$word") || COMPREPLY+=("${word// /\\ }")
      done < <("$program" completion --live "${wants#live }" --words="$typed" 2>/dev/null)
      ;;
  esac
}
complete -o nosort -F _memshelf memshelf 2>/dev/null || complete -F _memshelf memshelf
"""

ZSH = r"""#compdef memshelf
# zsh completion for memshelf: eval "$(memshelf completion zsh)"
_memshelf_live() {
  local -a found
  local typed="${(pj:\x1f:)memshelf_typed}"
  found=("${(@f)$($memshelf_typed[1] completion --live $1 --words="$typed" 2>/dev/null)}")
  compadd -V "memshelf-$1" -a -- found
}
_memshelf_nothing() {
  return 1
}
_memshelf() {
  local verb=$words[2]
  local -a memshelf_typed
  memshelf_typed=("${(@)words[1,CURRENT]}")
  memshelf_typed[1]=${~words[1]}
  if (( CURRENT == 2 )); then
    local -a verbs
    verbs=(
@VERBS@
    )
    _describe command verbs
    return
  fi
  words=("$words[1]" "${(@)words[3,-1]}")
  (( CURRENT-- ))
  case $verb in
@ARGUMENTS@
  esac
}
if [[ $funcstack[1] == _memshelf ]]; then
  _memshelf "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _memshelf memshelf
fi
"""

FISH = r"""# fish completion for memshelf: memshelf completion fish | source
function __memshelf_live
  set -l now (commandline -ct)
  set -l before (commandline -opc)
  $before[1] completion --live $argv[1] --words=(string join \x1f -- $before "$now") 2>/dev/null
end
function __memshelf_at
  set -l before (commandline -opc)
  test (count $before) -gt 1; and test $before[2] = $argv[1]
end
complete -c memshelf -f
@COMPLETE@
"""


def bash(verbs: Slots) -> str:
    """Return bash's script."""
    flags = [
        f"    {verb}) echo '{' '.join(flag for slot in slots for flag in slot.flags)}' ;;"
        for verb, slots in verbs.items()
    ]
    wants = [
        f"    '{verb} {where}') echo '{slot.wants}' ;;"
        for verb, slots in verbs.items()
        for where, slot in _places(slots)
        if slot.wants != FLAG
    ]
    return _fill(BASH, FLAGS=flags, WANTS=wants, VERBS=[" ".join(verbs)])


def zsh(verbs: Slots) -> str:
    """Return zsh's script."""
    described = [f"      {_quoted(f'{verb}:{VERBS[verb]}')}" for verb in verbs]
    arguments = []
    for verb, slots in verbs.items():
        specs = [spec for slot in slots for spec in _zsh_specs(slot)]
        arguments.append(f"    {verb}) _arguments -s : {' '.join(map(_quoted, specs))} ;;")
    return _fill(ZSH, VERBS=described, ARGUMENTS=arguments)


def fish(verbs: Slots) -> str:
    """Return fish's script."""
    lines = [
        f"complete -c memshelf -n 'test (count (commandline -opc)) -eq 1' -a {verb} -d {_quoted(VERBS[verb])}"
        for verb in verbs
    ]
    for verb, slots in verbs.items():
        lines += _fish_lines(verb, slots)
    return _fill(FISH, COMPLETE=lines)


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}


def _places(slots: list[Slot]) -> Iterator[tuple[str, Slot]]:
    """Yield (flag, slot), and for what stands without one its place: 1, 2, …, or + for all that follow."""
    place = 0
    for slot in slots:
        yield from ((flag, slot) for flag in slot.flags)
        if not slot.flags:
            place += 1
            yield "+" if slot.many else str(place), slot


def _zsh_specs(slot: Slot) -> Iterator[str]:
    kind, _, what = slot.wants.partition(" ")
    action = {FILES: "_files", FOLDERS: "_files -/", WORDS: f"({what})", LIVE: f" _memshelf_live {what}"}
    action[ANY] = " " if slot.flags else " _memshelf_nothing"
    value = f":{slot.name.replace(':', ' ')}:{action.get(kind, '')}"
    about = re.sub(r"([\[\]:\\])", r"\\\1", slot.about or slot.name)
    for flag in slot.flags:
        repeated = "*" if slot.many else ""
        yield f"{repeated}{flag}[{about}]" if kind == FLAG else f"{repeated}{flag}=[{about}]{value}"
    if not slot.flags:
        yield f"*{value}" if slot.many else f":{value}"


def _fish_lines(verb: str, slots: list[Slot]) -> Iterator[str]:
    first = next(
        (slot.wants.split()[1:] for slot in slots if not slot.flags and slot.wants.startswith(WORDS)), []
    )
    chosen = f"__fish_seen_subcommand_from {' '.join(first)}"
    for slot in slots:
        kind, _, what = slot.wants.partition(" ")
        value = {
            FLAG: "",
            FILES: " -r -F",
            FOLDERS: " -x -a '(__fish_complete_directories)'",
            WORDS: f" -x -a '{what}'",
            LIVE: f" -x -k -a '(__memshelf_live {what})'",
        }.get(kind, " -x")
        about = f" -d {_quoted(slot.about)}" if slot.about else ""
        for flag in slot.flags:
            yield f"complete -c memshelf -n '__memshelf_at {verb}' -l {flag[2:]}{value}{about}"
        if not slot.flags and kind in (FILES, FOLDERS, WORDS, LIVE):
            only = f"; and {'not ' * (kind == WORDS)}{chosen}" if first else ""
            value = value.removeprefix(" -x").replace(" -r", "")
            yield f"complete -c memshelf -n '__memshelf_at {verb}{only}'{value}"


def _quoted(text: str) -> str:
    r"""Quote for all three shells: no `'` and no `\` is left to differ about."""
    return "'" + text.replace("'", "’") + "'"


def _fill(script: str, **blocks: list[str]) -> str:
    for name, lines in blocks.items():
        script = script.replace(f"@{name}@", "\n".join(lines))
    return script
