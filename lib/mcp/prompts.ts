/** Ways to use the tools that people call by name. */
import * as z from 'zod'

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: z.ZodObject
  textOf(args: Readonly<Record<string, string>>): string
}

const unit = { namespace: z.string(), name: z.string() }

const debug = (kind: string, causes: string): Prompt => ({
  name: `debug_${kind.toLowerCase()}`,
  title: `Debug a ${kind}`,
  description: `Finds out why a ${kind} is not ready, and what to change.`,
  arguments: z.object(unit),
  textOf: ({ namespace, name }) =>
    `Find out why ${kind}/${namespace}/${name} is not ready.
1. Call \`why\` for it. If it names another object as the cause, call \`why\` for that one, until you reach the first cause.
2. Call \`history\` for it: what did the last Run that succeeded change, and what did the first that failed try? Who requested it?
3. ${causes}
4. Report in this order: the first cause with the object, file and field; since when and by which commit or person; what to change in git; how to check that it helped.
Change nothing yourself without an order to do so.`,
})

export const prompts: readonly Prompt[] = [
  debug(
    'Kustomization',
    'Check its source with `get_object`, its cluster with `get_cluster`, and what it depends on with `tree`. An error of the build names file and field.',
  ),
  debug(
    'HelmRelease',
    'Check its chart and the values that it reads with `get_object`, its cluster with `get_cluster`, and the history of its releases in its status. A failed upgrade may have been rolled back.',
  ),
  {
    name: 'compare_clusters',
    title: 'Compare two clusters',
    description: 'Explains how two clusters differ, and why.',
    arguments: z.object({ first: z.string(), second: z.string() }),
    textOf: ({ first, second }) =>
      `Explain how the clusters ${first} and ${second} differ. Call \`compare_clusters\`, then \`why\` for each unit that differs in state, and \`history\` for each that differs in revision. Say which differences look intended (another branch, another version) and which don't.`,
  },
  {
    name: 'migrate_from_flux',
    title: 'Move a cluster from Flux',
    description: 'Plans the move of a cluster that runs Flux to the hub.',
    arguments: z.object({ cluster: z.string().describe('Name of the cluster.') }),
    textOf: ({ cluster }) =>
      `Plan the move of the cluster ${cluster} from Flux to this hub. Follow the page from-flux of the documentation (\`search_docs\`). List what of its Flux objects works unchanged and what does not, the order of the steps, how to check each, and how to go back. Move nothing yourself.`,
  },
]
