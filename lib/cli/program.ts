import { Command } from 'commander'
import { CommandFailed } from './command-failed.ts'
import { kustomizeCommand } from './kustomize.ts'
import { serveCommand } from './serve.ts'
import { terminalOn } from './terminal.ts'

/** Runs the command that the arguments name. */
export async function runProgram(): Promise<void> {
  const terminal = terminalOn(process.stderr, process.env)
  const program = new Command('keelson')
    .description('GitOps for many Kubernetes clusters without a management cluster.')
    .addCommand(serveCommand(terminalOn(process.stdout, process.env)))
    .addCommand(kustomizeCommand(process.stdout, process.stderr))
    .showHelpAfterError('(add --help for the options)')
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    terminal.failure(error.message)
    process.exitCode = error.exitCode
  }
}
