/** For bash 3.2 and newer; 3.2 cannot tell where a file is meant, and always offers files. */
export const BASH_SCRIPT = `# Completion of ticketscan in bash. Load it with: source <(ticketscan completion bash)

_ticketscan() {
  local head='' word
  COMPREPLY=()
  {
    IFS= read -r head
    while IFS= read -r word; do COMPREPLY+=("\${word%%$'\\t'*}"); done
  } < <("$1" complete bash "$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  type compopt >/dev/null 2>&1 || return 0
  case "$head" in
    files*) compopt -o default ;;
    folders*) compopt -o dirnames ;;
  esac
  case "\${#COMPREPLY[@]} \${COMPREPLY[0]-}" in
    '1 '*[=:,/]) compopt -o nospace ;;
  esac
}

if type compopt >/dev/null 2>&1; then
  complete -F _ticketscan ticketscan
else
  complete -o default -F _ticketscan ticketscan
fi
`;
