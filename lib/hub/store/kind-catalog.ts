import type { KindRegistry } from '../../foundations/kinds/all.ts'
import { kindRegistry } from '../../foundations/kinds/all.ts'
import type { CustomResourceDefinition } from '../../foundations/kinds/custom-resource-definition.ts'
import { apiextensions } from '../../foundations/kinds/custom-resource-definition.ts'
import { definedKind } from '../../foundations/kinds/defined-kind.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { NameDecision } from './accept-names.ts'
import { acceptNames } from './accept-names.ts'
import type { Hub } from './hub.ts'

export interface KindCatalogPorts {
  /** The hub of these kinds, for reading its definitions. */
  readonly hub: () => Pick<Hub, 'list'>
  readonly clock: Pick<Clock, 'now'>
}

/** The kinds of one hub: built-in ones, and those of its CustomResourceDefinitions. */
export interface KindCatalog {
  /** The kinds that are known now. */
  kinds(): KindRegistry
  /** Every definition with the decision on its names. */
  nameDecisions(): ReadonlyMap<string, NameDecision>
  definitions(): readonly CustomResourceDefinition[]
  /** Loads other processes' definitions, if they were last loaded more than `maxAgeMs` ago. */
  refresh(): Promise<void>
  /** Must be called for every change that this process stores. */
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
}

export const isDefinition = ({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>): boolean =>
  group === apiextensions && kind === 'CustomResourceDefinition'

const collection = { group: apiextensions, kind: 'CustomResourceDefinition' }

/** `maxAgeMs`: maximum age of the view of other processes' definitions; Infinity if there are none. */
export const kindCatalog = (builtIn: readonly Kind[], ports: KindCatalogPorts, maxAgeMs: number): KindCatalog => {
  const { hub, clock } = ports
  let known = new Map<string, CustomResourceDefinition>()
  const compiled = new Map<string, { readonly source: string; readonly kind: Kind }>()
  let checked = Number.NEGATIVE_INFINITY
  let version = ''
  let loading: Promise<void> | undefined
  let sinceLoading: (() => void)[] = []
  let current: { readonly registry: KindRegistry; readonly verdicts: ReadonlyMap<string, NameDecision> } | undefined

  /** Returns the same Kind as long as the definition is unchanged: caches depend on it. */
  const kindOf = (definition: CustomResourceDefinition): Kind => {
    const { name, uid, generation, deletionTimestamp } = definition.metadata
    const source = `${uid} ${generation} ${deletionTimestamp}`
    const before = compiled.get(name)
    if (before?.source === source) return before.kind
    const kind = definedKind(definition)
    compiled.set(name, { source, kind })
    return kind
  }

  const now = () => {
    if (current) return current
    const definitions = [...known.values()]
    const verdicts = acceptNames(definitions, builtIn)
    const defined = definitions.filter(({ metadata }) => verdicts.get(metadata.name)?.isServed).map(kindOf)
    current = { registry: kindRegistry([...builtIn, ...defined]), verdicts }
    return current
  }

  const put = (definition: CustomResourceDefinition) => {
    const before = known.get(definition.metadata.name)
    if (before && isNewer(before, definition)) return
    known.set(definition.metadata.name, definition)
  }

  const load = async () => {
    const started = clock.now()
    sinceLoading = []
    const { resourceVersion } = await hub().list({ ...collection, limit: 1 })
    if (resourceVersion !== version) {
      const { items, resourceVersion: found } = await hub().list<CustomResourceDefinition>(collection)
      known = new Map(items.map(item => [item.metadata.name, item]))
      current = undefined
      for (const replay of sinceLoading) replay()
      version = found
    }
    checked = started
  }

  return {
    kinds: () => now().registry,
    nameDecisions: () => now().verdicts,
    definitions: () => [...known.values()],
    refresh: async () => {
      if (clock.now() - checked < maxAgeMs) return
      loading ??= load().finally(() => {
        loading = undefined
      })
      await loading
    },
    notice: (ref, after) => {
      if (!isDefinition(ref)) return
      const follow = () => {
        if (after) put(after as CustomResourceDefinition)
        else known.delete(ref.name)
        current = undefined
      }
      if (loading) sinceLoading.push(follow)
      follow()
    },
  }
}

const isNewer = ({ metadata: known }: KubernetesObject, { metadata: given }: KubernetesObject): boolean =>
  known.uid === given.uid && BigInt(known.resourceVersion ?? 0) > BigInt(given.resourceVersion ?? 0)
