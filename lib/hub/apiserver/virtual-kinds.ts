/** Kinds that the API serves without storing them as objects: views of other kinds, records, and parts of this program. */

import type { KindRegistry } from '../../foundations/kinds/all.ts'
import { newEvent } from '../../foundations/kinds/event-v1.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { RecordReader } from '../records/record-reader.ts'
import type { Hub } from '../store/hub.ts'
import type { Components } from './components.ts'
import { componentHub, componentKinds } from './components.ts'
import { eventView } from './event-view.ts'

export interface VirtualKinds {
  /** The registry with the virtual kinds added. Created once per registry. */
  with(registry: KindRegistry): KindRegistry
  /** The hub that reads and writes objects of a kind. */
  hubOf(kind: Kind): Hub
}

export interface VirtualSources {
  readonly components?: Components | undefined
  readonly runs?: RecordReader | undefined
  readonly deliveries?: RecordReader | undefined
  /** The state of the installation. */
  readonly report?: RecordReader | undefined
}

/** The virtual kinds of a hub. Those whose source is missing are not served. */
export const virtualKinds = (hub: Hub, { components, runs, deliveries, report }: VirtualSources): VirtualKinds => {
  const views = new Map<Kind, Hub>([[newEvent, eventView(hub)]])
  for (const records of [runs, deliveries, report]) if (records) views.set(records.kind, { ...hub, ...records })
  if (components) {
    const parts = { ...hub, ...componentHub(components) }
    for (const kind of componentKinds) views.set(kind, parts)
  }
  const known = new WeakMap<KindRegistry, KindRegistry>()
  return {
    with: registry => {
      const made = known.get(registry) ?? [...views.keys()].reduce((all, kind) => all.with(kind), registry)
      known.set(registry, made)
      return made
    },
    hubOf: kind => views.get(kind) ?? hub,
  }
}
