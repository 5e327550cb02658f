/**
 * For Windows PowerShell 5.1 and PowerShell 7. The words go through the environment, because these versions differ in how they
 * hand empty words and quotes to a program. Where nothing fits, PowerShell itself offers files.
 */
export const POWERSHELL_SCRIPT = `# Completion of ticketscan in PowerShell. Load it with:
# ticketscan completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName 'ticketscan', 'ticketscan.exe', 'ticketscan.cmd' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
            else { $_.Extent.Text }
        })
    $words += $wordToComplete.Trim([char[]]@(34, 39))
    $program = $commandAst.GetCommandName()
    $env:TICKETSCAN_WORDS = ConvertTo-Json -Compress -InputObject $words
    try {
        $lines = @(& $program complete powershell 2>$null)
    } finally {
        Remove-Item Env:TICKETSCAN_WORDS
    }
    foreach ($line in $lines | Select-Object -Skip 1) {
        $value, $about = $line -split "\`t", 2
        $text = $value
        if ($value -match '[^\\w@%+=:,./-]') { $text = "'" + $value.Replace("'", "''") + "'" }
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
`;
