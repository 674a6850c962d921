import { Command } from 'commander'
import { version } from '../compose/version.ts'
import { CommandFailed } from './command-failed.ts'
import { withPlainHelp } from './help.ts'
import { terminalOn } from './terminal.ts'
import { withUnknownFlagsFirst } from './unknown-flags.ts'

/** The program with these commands. */
export const programWith = (commands: readonly Command[]): Command => {
  const program = new Command('keelson')
    .description('GitOps for many Kubernetes clusters without a management cluster.')
    .version(version, '--version', 'print the version')
    .showHelpAfterError('(add --help for the options)')
    // Otherwise a command with subcommands takes their flags, where it has some of the same names.
    .enablePositionalOptions()
  for (const command of commands) program.addCommand(command)
  return withUnknownFlagsFirst(withPlainHelp(program))
}

/** Runs the command; shows an error that the user can fix in one line. */
export const runProgram = async (program: Command): Promise<void> => {
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    terminalOn(process.stderr, process.env).failure(error.message)
    process.exitCode = error.exitCode
  }
}
