import { Command } from 'commander'
import { lintCommand } from '../helm/lint.ts'
import { packageCommand } from '../helm/package.ts'
import { pullCommand } from '../helm/pull.ts'
import { showCommand } from '../helm/show.ts'
import { templateCommand } from '../helm/template.ts'
import type { Terminal } from '../terminal.ts'

/** `keelson helm`: charts without the helm program. */
export const helmCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream, terminal: Terminal): Command =>
  new Command('helm')
    .summary('work with Helm charts')
    .description('Renders, checks, shows, packs and pulls Helm charts, as helm does.')
    .addCommand(templateCommand(output))
    .addCommand(lintCommand(output))
    .addCommand(showCommand(output))
    .addCommand(packageCommand(output))
    .addCommand(pullCommand(env, terminal))
