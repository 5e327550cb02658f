/** For zsh 5, as a file \`_ticketscan\` in a folder of $fpath, or sourced after compinit. */
export const ZSH_SCRIPT = `#compdef ticketscan
# Completion of ticketscan in zsh. Load it with: source <(ticketscan completion zsh)
# or write it to a file named _ticketscan in a folder of $fpath.

_ticketscan() {
  local -a lines closed open
  local program=\${(Q)words[1]} line value about entry
  program=\${program/#\\~\\//$HOME/}
  lines=("\${(@f)$("$program" complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    entry=\${\${value//\\\\/\\\\\\\\}//:/\\\\:}
    [[ -n $about ]] && entry+=:$about
    if [[ $value == *[=:,/] ]]; then open+=("$entry"); else closed+=("$entry"); fi
  done
  (( $#closed )) && _describe -t values value closed
  (( $#open )) && _describe -t values value open -S ''
  value=\${lines[1]#*$'\\t'}
  case $lines[1] in
    files*) [[ -n $value ]] && compset -P "\${(b)value}"; _files ;;
    folders*) [[ -n $value ]] && compset -P "\${(b)value}"; _files -/ ;;
  esac
}

if [[ \${funcstack[1]} == _ticketscan ]]; then
  _ticketscan "$@"
else
  compdef _ticketscan ticketscan
fi
`;
