import { meteredClient } from '../../clusters/client/metered-client.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { PassRun, PassSettings } from './pass-run.ts'
import type { Pass } from './reconciler.ts'
import * as to from './transitions.ts'

/** What a reconciler may do in the run of a pass: show progress, change the status, note events, reach clusters. */
export const passOf = (
  { object, writer, startedAt, signal, events, notes, tally }: PassRun,
  { momentMs, routineMomentMs }: PassSettings,
): Pass<KubernetesObject> => ({
  signal,
  startedAt,
  confine: async cluster => (cluster.server === 'hub' ? cluster : meteredClient(cluster, tally)),
  async open() {
    const { generation } = object.metadata
    const { observedGeneration = -1 } = writer.status
    const isNew = generation !== observedGeneration
    const what = isNew
      ? `processing object: new generation ${observedGeneration} -> ${generation}`
      : 'reconciliation in progress'
    writer.change(to.opened(what))
    if (isNew || isReconcileRequested(object, writer.status)) await writer.store()
  },
  async progress(message, change = {}) {
    signal.throwIfAborted()
    writer.change(to.inOrder(to.progressed(message, change.ready), to.changed(change)))
    const delayMs = change.routine ? routineMomentMs : change.fleeting ? momentMs : 0
    if (delayMs > 0) writer.storeSoon(delayMs)
    else await writer.store()
  },
  async update(change, { fleeting = false } = {}) {
    signal.throwIfAborted()
    writer.change(to.changed(change))
    if (fleeting && momentMs > 0) writer.storeSoon(momentMs)
    else await writer.store()
  },
  event: event => events.push(event),
  note: notes.add,
})
