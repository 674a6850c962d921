import type { Budget } from '../../foundations/budget/budget.ts'
import { compareBytes } from '../../foundations/go/compare-text.ts'
import { type Hook, hookOf } from './hook.ts'
import { installOrder, sortByKind } from './kind-order.ts'
import type { Manifest } from './manifest.ts'
import { readHead } from './manifest-head.ts'
import { isPartial } from './render-values.ts'
import { splitManifests } from './split-manifests.ts'

export interface SortedManifests {
  readonly manifests: readonly Manifest[]
  readonly hooks: readonly Hook[]
}

/** Splits rendered files into documents, in Helm's install order, hooks apart. Throws RenderError. */
export const sortManifests = (
  rendered: ReadonlyMap<string, string>,
  budget?: Budget,
  split: (text: string) => readonly string[] = splitManifests,
): SortedManifests => {
  const manifests: Manifest[] = []
  const hooks: Hook[] = []
  for (const [path, text] of [...rendered].sort(([a], [b]) => compareBytes(a, b))) {
    if (isPartial(path) || text.trim() === '') continue
    for (const content of split(text)) {
      const head = readHead(content, path, budget)
      const manifest = { path, kind: head.kind, head, content }
      if (!head.annotations.has('helm.sh/hook')) manifests.push(manifest)
      else hooks.push(...hookOf(manifest))
    }
  }
  return { manifests: sortByKind(manifests, installOrder), hooks: sortByKind(hooks, installOrder) }
}
