import { Argument, Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';

const EXAMPLES = `
Examples:
  source <(ticketscan completion bash)                 for this shell only
  source <(ticketscan completion zsh)                  the same, after compinit
  ticketscan completion fish | source

For every new shell:
  ticketscan completion bash > ~/.local/share/bash-completion/completions/ticketscan
  ticketscan completion zsh > DIR/_ticketscan          DIR is a folder of $fpath
  ticketscan completion fish > ~/.config/fish/completions/ticketscan.fish

It completes commands, options, values from a fixed list, files, and check cases.`;

/** `ticketscan completion`: the script that a shell loads. */
export function command(io: CliIo): Command {
  const shells = Object.keys(SHELLS) as (keyof typeof SHELLS)[];
  return new Command('completion')
    .description('Write the script that completes ticketscan command lines in a shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText('after', EXAMPLES)
    .action((shell: keyof typeof SHELLS) => {
      io.stdout.write(SHELLS[shell].script);
    });
}

/**
 * The shells whose command lines can be completed: the script, and the name of the file in which the shell looks for it.
 * bash: 3.2 and newer; 3.2 cannot tell where a file is meant, and always offers files. zsh: 5, as a file in a folder of $fpath, or sourced after
 * compinit. fish: 3.
 */
export const SHELLS = {
  bash: {
    file: 'ticketscan',
    script: `# Completion of ticketscan in bash. Load it with: source <(ticketscan completion bash)

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
`,
  },
  zsh: {
    file: '_ticketscan',
    script: `#compdef ticketscan
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
`,
  },
  fish: {
    file: 'ticketscan.fish',
    script: `# Completion of ticketscan in fish. Load it with: ticketscan completion fish | source
# or write it to ~/.config/fish/completions/ticketscan.fish

function __ticketscan_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] complete fish -- $words[2..-1] "$current" 2>/dev/null)
    for line in $lines[2..-1]
        echo $line
    end
    set -l head (string split \\t -- $lines[1])
    set -l rest (string sub --start (math (string length -- "$head[2]") + 1) -- "$current")
    switch "$head[1]"
        case files
            for path in (__fish_complete_path "$rest")
                echo "$head[2]$path"
            end
        case folders
            for path in (__fish_complete_directories "$rest" '')
                echo "$head[2]$path"
            end
    end
end

complete -c ticketscan -f -a '(__ticketscan_complete)'
`,
  },
} as const;
