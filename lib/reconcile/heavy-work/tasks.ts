import { Budget } from '../../budget/budget.ts'
import type { FileSystem } from '../../kustomize/file-system.ts'
import { RemoteStatusError, type Remotes } from '../../kustomize/remotes.ts'
import type { Asking, OffThreadTasks } from '../../ports/off-thread.ts'
import { render } from '../../resource-set/render.ts'
import { renderFolder } from '../kustomization/build/render-folder.ts'
import { substituteAll } from '../kustomization/build/substitute-all.ts'
import type { BuildInput, ExpandInput, Refusal, SubstituteInput } from './off-thread.ts'

/** The tasks on their own thread. */
export const heavyTasks = (random: () => number): OffThreadTasks => ({
  build: ({ folder, spec, settings }: BuildInput, asking) =>
    renderFolder(
      treeOf(asking, 0),
      folder,
      spec,
      { remotes: remotesOf(asking) },
      {
        ...settings,
        pluginGroups: [],
      },
      new Budget(settings.buildLimits),
    ),
  substitute: ({ manifests, variables, strict, limits }: SubstituteInput) =>
    substituteAll(manifests, variables, { strict, budget: new Budget(limits) }),
  expand: ({ spec, inputs, limits, now }: ExpandInput) =>
    render(spec, inputs, { ambient: { now: () => now, random }, budget: new Budget(limits) }),
})

/** Trees and remote bases stay with the thread that gave the build away. */
const treeOf = ({ ask }: Asking, tree: number): FileSystem => ({
  read: path => ask('read', tree, path) as Uint8Array | undefined,
  list: path => ask('list', tree, path) as readonly string[] | undefined,
})

const remotesOf = (asking: Asking): Remotes => ({
  file: async url => {
    const answer = (await asking.askLater('file', url)) as Uint8Array | Refusal
    if (answer instanceof Uint8Array) return answer
    throw new RemoteStatusError(answer.status, answer.statusText)
  },
  repository: async target => treeOf(asking, (await asking.askLater('repository', target)) as number),
})
