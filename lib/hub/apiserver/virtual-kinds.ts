/** Kinds that the API shows although nothing is stored of them: other views of what is, and parts of this program. */

import type { KindRegistry } from '../../foundations/kinds/all.ts'
import { newEvent } from '../../foundations/kinds/event-v1.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Hub } from '../store/hub.ts'
import type { Components } from './components.ts'
import { componentHub, componentKinds } from './components.ts'
import { eventView } from './event-view.ts'

export interface VirtualKinds {
  /** The same kinds, and those that are only shown. Made once for each registry. */
  with(registry: KindRegistry): KindRegistry
  /** Where objects of a kind are read and written. */
  hubOf(kind: Kind): Hub
}

export const virtualKinds = (hub: Hub, components: Components | undefined): VirtualKinds => {
  const views = new Map<Kind, Hub>([[newEvent, eventView(hub)]])
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
