/** For fish 3. */
export const FISH_SCRIPT = `# Completion of ticketscan in fish. Load it with: ticketscan completion fish | source
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
`;
