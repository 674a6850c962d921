import type { Budget } from '../../foundations/budget/budget.ts'
import { compareBytes } from '../../foundations/go/compare-text.ts'
import type { TextCache } from '../template/text-cache.ts'
import { type Hook, hookOf } from './hook.ts'
import { installOrder, sortByKind } from './kind-order.ts'
import type { Manifest } from './manifest.ts'
import { type ManifestHead, readHead } from './manifest-head.ts'
import { isPartial } from './render-values.ts'
import { splitManifests } from './split-manifests.ts'

export interface SortedManifests {
  readonly manifests: readonly Manifest[]
  readonly hooks: readonly Hook[]
}

export interface SortOptions {
  readonly split?: (text: string) => readonly string[]
  /** Pays for parsed YAML. */
  readonly budget?: Budget | undefined
  /** Of documents that occurred before. */
  readonly heads?: TextCache<ManifestHead> | undefined
}

/** Splits rendered files into documents, in Helm's install order, hooks separately. Throws RenderError. */
export const sortManifests = (
  rendered: ReadonlyMap<string, string>,
  { split = splitManifests, budget, heads }: SortOptions = {},
): SortedManifests => {
  const manifests: Manifest[] = []
  const hooks: Hook[] = []
  for (const [path, text] of [...rendered].sort(([a], [b]) => compareBytes(a, b))) {
    if (isPartial(path) || text.trim() === '') continue
    for (const content of split(text)) {
      const read = () => readHead(content, path, budget)
      const head = heads ? heads.of(content, read) : read()
      const manifest = { path, kind: head.kind, head, content }
      if (!head.annotations.has('helm.sh/hook')) manifests.push(manifest)
      else hooks.push(...hookOf(manifest))
    }
  }
  return { manifests: sortByKind(manifests, installOrder), hooks: sortByKind(hooks, installOrder) }
}
