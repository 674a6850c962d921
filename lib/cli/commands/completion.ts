import { Argument, Command } from 'commander'
import { completionScripts } from '../completion-scripts.ts'
import { completionTree } from '../completion-tree.ts'

const examples = `
Examples:
  # bash: now, and in every shell from now on
  source <(keelson completion bash)
  echo 'source <(keelson completion bash)' >> ~/.bashrc

  # zsh: once
  keelson completion zsh > "\${fpath[1]}/_keelson"

  # fish: once
  keelson completion fish > ~/.config/fish/completions/keelson.fish
`

/** `keelson completion`: a script that completes commands, options and their values in a shell. */
export const completionCommand = (program: () => Promise<Command>, output: NodeJS.WritableStream): Command =>
  new Command('completion')
    .summary('print a completion script for a shell')
    .description('Prints a script that completes commands, options and their values in your shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(completionScripts)))
    .addHelpText('after', examples)
    .action(async (shell: string) => {
      output.write(completionScripts[shell]!(completionTree(await program())))
    })
