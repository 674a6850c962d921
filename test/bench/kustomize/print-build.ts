/** The command `keelson kustomize` alone, as a process, with the compile cache that the program has. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/keelson'))
const { kustomizeCommand } = await import('../../../lib/cli/kustomize.ts')
await kustomizeCommand(process.stdout, process.stderr).parseAsync(
  [process.argv[2]!, '--reorder', 'none', '--load-restrictor', 'LoadRestrictionsNone'],
  { from: 'user' },
)
