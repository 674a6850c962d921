import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { bootstrapDefinitions } from './bootstrap-definitions.ts'
import { crdController } from './crd-controller.ts'
import type { Hub } from './hub.ts'
import { kindCatalog } from './kind-catalog.ts'
import { rfc3339 } from './time.ts'

export interface DefinitionsPorts {
  /** The hub that holds the definitions; it in turn asks for `kinds` here. */
  readonly hub: () => Pick<Hub, 'list' | 'create' | 'update' | 'delete'>
  readonly clock: Pick<Clock, 'now'>
  /** Hears of background work that failed; the next sweep tries again. */
  readonly onError: (error: unknown) => void
}

/** The kinds of a hub, those that users define among them, with what keeps their definitions in order. */
export interface Definitions {
  kinds(): KindRegistry
  /** Learns of what other processes defined, when that was last done `maxAgeMs` ago. */
  refresh(): Promise<void>
  /** To be told of every change that the hub stored, before anybody else is. */
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
  /** At each start, before requests are served. */
  prepare(): Promise<void>
  /** Makes good what an earlier process left undone; now and then. */
  sweep(): Promise<void>
  /** Resolves when what was noticed is done. */
  settled(): Promise<void>
}

/** `maxAgeMs`: how old the knowledge of other processes' definitions may be; Infinity where there are none. */
export const hubDefinitions = (builtIn: readonly Kind[], ports: DefinitionsPorts, maxAgeMs: number): Definitions => {
  const { hub, clock, onError } = ports
  const catalog = kindCatalog(builtIn, { hub, clock }, maxAgeMs)
  const crds = crdController({ hub, catalog, now: () => rfc3339(clock.now()), onError })
  return {
    kinds: catalog.kinds,
    refresh: catalog.refresh,
    notice: (ref, after) => {
      catalog.notice(ref, after)
      crds.notice(ref, after)
    },
    prepare: async () => {
      await catalog.refresh()
      await bootstrapDefinitions(hub(), builtIn, catalog.definitions())
      await crds.sweep()
    },
    sweep: crds.sweep,
    settled: crds.settled,
  }
}
