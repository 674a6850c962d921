import { Command } from 'commander'

/** `keelson helm` with these subcommands: works with charts, without the helm program. */
export const helmCommandWith = (subcommands: readonly Command[]): Command => {
  const command = new Command('helm')
    .summary('work with Helm charts')
    .description('Renders, checks, shows, packs and pulls Helm charts, as helm does.')
  for (const subcommand of subcommands) command.addCommand(subcommand)
  return command
}
