# Prints what zsh offers for a line, one offer per line.
#
#   zsh -f zsh_offers.zsh ROOT COMPLETIONS SCRATCH LINE
#
# ROOT: where zsh was unpacked. COMPLETIONS: the directory with the functions under test. SCRATCH: an empty
# directory.

root=${1%/} completions=$2 scratch=$3 line=$4 zsh=/proc/$$/exe
module_path=($root/usr/lib/*/zsh/*(N) $module_path)
zmodload zsh/zpty

cat > $scratch/setup <<SETUP
module_path=(${(j: :)${(@q)module_path}})
fpath=(${(q)completions} ${(q)root}/usr/share/zsh/functions{,/**/*}(N/))
scratch=${(q)scratch}
SETUP
cat >> $scratch/setup <<'SETUP'
setopt zle
PROMPT='' RPROMPT=''
autoload -Uz compinit
compinit -D -u
# Whatever a completion function offers goes through here. With -O, -A or -D it only asks what would fit.
compadd() {
  local -a offered
  if (( ! ${@[(I)-[OAD]]} )); then
    builtin compadd -O offered "$@"
    (( $#offered )) && print -rl -- $offered >> $scratch/offered
  fi
  builtin compadd "$@"
}
offer() {
  zle complete-word
  : > $scratch/done
}
zle -N offer
bindkey '^I' offer
# The line editor reads what is typed from here on.
zle-line-init() { : > $scratch/ready }
zle -N zle-line-init
SETUP

# Waits for a file. What the shell behind the terminal prints is of no interest, but it must be read.
await() {
  local attempt discarded
  for attempt in {1..1000}; do
    [[ -e $scratch/$1 ]] && return
    zpty -rt shell discarded
    sleep 0.01
  done
  print -u2 "zsh is not $1"
  exit 1
}

# Completion works behind a terminal only.
zpty shell $zsh -f -i
zpty -w shell "source ${(q)scratch}/setup"
await ready
zpty -wn shell "$line"$'\t'
await 'done'
zpty -d shell
: >> $scratch/offered
cat $scratch/offered
