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
  /** The hub that stores the definitions; it in turn uses `kinds` here. */
  readonly hub: () => Pick<Hub, 'list' | 'create' | 'update' | 'delete'>
  readonly clock: Pick<Clock, 'now'>
  /** Called when background work fails; the next sweep retries it. */
  readonly onError: (error: unknown) => void
}

/** The kinds of a hub, including user-defined ones, with the controllers for their definitions. */
export interface Definitions {
  kinds(): KindRegistry
  /** Loads other processes' definitions, if they were last loaded more than `maxAgeMs` ago. */
  refresh(): Promise<void>
  /** Must be called for every stored change, before anything else is notified. */
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
  /** Call it at each start, before requests are served. */
  prepare(): Promise<void>
  /** Completes unfinished work of an earlier process; call it periodically. */
  sweep(): Promise<void>
  /** Resolves when all pending work is done. */
  settled(): Promise<void>
}

/** `maxAgeMs`: maximum age of the view of other processes' definitions; Infinity if there are none. */
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
