import type { Command } from 'commander'
import { programWith } from '../program-with.ts'
import { helmCommandWith } from './helm-command.ts'
import { templateCommand } from './template.ts'

export { runProgram } from '../program-with.ts'

/** The program with `keelson helm template` alone, which the package has as one script (`../cached-script.ts`). */
export const loadProgram = async (): Promise<Command> =>
  programWith([helmCommandWith([templateCommand(process.stdout)])])
