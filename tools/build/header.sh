#!/bin/sh
# @NAME@ @VERSION@ for @TARGET@. After this script, compressed: the program and the runtime that runs it.
# The first start unpacks both into a cache directory; every start checks them, then becomes the program.

program='@BUNDLE_PATH@' program_sum='@BUNDLE_SUM@'
runtime='@RUNTIME_PATH@' runtime_sum='@RUNTIME_SUM@'

# True if the file has this POSIX checksum and length: the disk may have been full, the machine may have crashed.
intact() { # FILE SUM
  [ -f "$1" ] && [ -r "$1" ] && set -- "$2" $(cksum < "$1") && [ "$2 $3" = "$1" ]
}

# Writes a part of this file to a path, whole or not at all, while others may be doing the same.
unpack() { # PATH SUM MODE OFFSET LENGTH
  mkdir -p "${1%/*}" && new=$(mktemp "${1%/*}/new.XXXXXX") || return
  trap 'rm -f "$new"' EXIT
  trap 'exit 1' HUP INT TERM
  tail -c "+$4" < "$self" | head -c "$5" | gzip -dc > "$new" || return
  intact "$new" "$2" || { echo 'what was unpacked is damaged; is this file complete?' >&2; return 1; }
  chmod "$3" "$new" || return
  if [ "$1" = "$cache/$runtime" ] && ! "$new" --version > /dev/null; then
    echo "cannot be executed there (made for @TARGET@, this is $(uname -s -m); or mounted noexec)" >&2
    return 1
  fi
  mv -f "$new" "$1"
}

# Creates a directory's parents and prints its path without symbolic links, which another user might redirect.
locate() { # DIRECTORY
  case $1 in /*) ;; *) set -- "$PWD/$1" ;; esac
  set -- "${1%/}"
  umask 077
  mkdir -p "${1%/*}/" && cd -P "${1%/*}/" && way=$(pwd -P) && printf '%s\n' "${way%/}/${1##*/}"
}

# A directory that belongs to another user, or that others can write to or replace, may contain anything.
trusted() { # DIRECTORY, as located
  [ ! -h "$1" ] || { echo 'is a symbolic link' >&2; return 1; }
  way=$1
  # Where other users are not mapped, as in a container, the system belongs to a user other than 0.
  set -- $(ls -ldn /)
  system=$3
  set -- $(ls -ldn "$way")
  case $1 in d????-??-*) ;; *) echo 'is not a directory that only its owner can write to' >&2; return 1 ;; esac
  [ "$3" = "$user" ] || [ "$3" = 0 ] || { echo 'belongs to another user' >&2; return 1; }
  while [ -n "$way" ]; do
    way=${way%/*}
    set -- $(ls -ldn "${way:-/}")
    case $1:$3 in
      d???????w[!tT]*) ;;
      *:"$user" | *:0 | *:"$system") continue ;;
    esac
    echo "lies in ${way:-/}, where another user can replace it" >&2
    return 1
  done
}

# True if a start from there does not need to write anything.
filled() { # DIRECTORY, as located
  trusted "$1" && intact "$1/$runtime" "$runtime_sum" && intact "$1/$program" "$program_sum" &&
    [ -x "$1/$runtime" ]
}

# Makes sure that the directory holds both files. Runs in a subshell, so that nothing it sets remains.
prepare() { # DIRECTORY, as located
  umask 022
  [ -d "$1" ] || mkdir "$1" || [ -d "$1" ] || return
  trusted "$1" || return
  # Removes what killed starts have left behind, but not what others may be writing right now.
  set -- "$1" "$1"/*/new.??????
  [ ! -e "$2" ] || find "$1" -name 'new.??????' -type f -mtime +0 -exec rm -f {} +
  if ! intact "$1/$runtime" "$runtime_sum"; then
    (unpack "$1/$runtime" "$runtime_sum" 755 @RUNTIME_OFFSET@ @RUNTIME_LENGTH@) || return
  fi
  if ! intact "$1/$program" "$program_sum"; then
    (unpack "$1/$program" "$program_sum" 644 @BUNDLE_OFFSET@ @BUNDLE_LENGTH@) || return
  fi
  [ -x "$1/$runtime" ] || { echo 'is mounted noexec' >&2; return 1; }
}

become() { # ARGUMENT...
  # The runtime would look for npm's settings in the home directory, and give up if they cannot be read.
  HOME=/nonexistent
  export HOME
  exec "$cache/$runtime" run @FLAGS@ "$cache/$program" "$@"
}

# Becomes the program, or adds to `tried` why it cannot from this directory.
start() { # DIRECTORY ARGUMENT...
  place=$1
  shift
  if why=$(locate "$place" 2>&1) && cache=$why && why=$(prepare "$cache" 2>&1); then become "$@"; fi
  tried="$tried
@NAME@: $place: ${why##*
}"
}

for tool in chmod cksum env find gzip head id ls mkdir mktemp mv rm sed tail; do
  command -v "$tool" > /dev/null || { echo "@NAME@: needs the program $tool, which is not on PATH" >&2; exit 1; }
done
self=$0 tried='' user=$(id -u)

# The runtime's settings are the program's own business, except for the certificates to trust.
for name in $(env | sed -nE 's/^((DENO|NODE|OTEL)_[A-Z0-9_]*)=.*/\1/p'); do
  case $name in DENO_CERT | DENO_TLS_CA_STORE) ;; *) unset "$name" ;; esac
done
export DENO_NO_UPDATE_CHECK=1 DENO_NO_PACKAGE_JSON=1
# The runtime caches nothing, and does not say so on a terminal; its errors are still shown.
export DENO_DIR=/dev/null/none DENO_LOG=error,deno::cache::cache_db=off

if [ -n "${EVENTSTORE_CACHE_DIR-}" ]; then
  start "$EVENTSTORE_CACHE_DIR" "$@"
else
  # What root has unpacked is used by everyone.
  system_cache=/var/cache/eventstore
  if [ -f "$system_cache/$runtime" ] && cache=$(locate "$system_cache") && (filled "$cache") 2> /dev/null; then
    become "$@"
  fi
  # A directory of another user, as sudo may leave in the variable, is left alone.
  case ${XDG_CACHE_HOME-} in /?*) [ ! -O "$XDG_CACHE_HOME" ] || start "$XDG_CACHE_HOME/eventstore" "$@" ;; esac
  case ${HOME-} in /?*) [ ! -O "$HOME" ] || start "$HOME/.cache/eventstore" "$@" ;; esac
  start "$system_cache" "$@"
  start "${TMPDIR:-/tmp}/eventstore-$user" "$@"
fi
echo "@NAME@: cannot unpack itself anywhere; name a directory with EVENTSTORE_CACHE_DIR. Tried:$tried" >&2
exit 1
