/** The command `keelson kustomize` alone, as a process. */
import { kustomizeCommand } from '../../../lib/cli/kustomize.ts'

await kustomizeCommand(process.stdout, process.stderr).parseAsync(
  [process.argv[2]!, '--reorder', 'none', '--load-restrictor', 'LoadRestrictionsNone'],
  { from: 'user' },
)
