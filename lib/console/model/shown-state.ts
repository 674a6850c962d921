/** The six states that the console shows, each with a shape and a word. Pure. */
import type { ClusterSummary } from '../../foundations/fleet/cluster-summary.ts'
import { type ObjectState, objectStateOf, statusCondition } from '../../foundations/fleet/object-state.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import { clusterUnreachable } from '../../foundations/rules/outage.ts'

export type ShownState = 'ready' | 'progressing' | 'waiting' | 'failing' | 'suspended' | 'unreachable'

/** A state, with the word for it where it stands: `Held` and `Waiting` have one shape. */
export interface Shown {
  readonly state: ShownState
  readonly word: string
}

export const stateNames: Readonly<Record<ShownState, string>> = {
  ready: 'Ready',
  progressing: 'In progress',
  waiting: 'Waiting',
  failing: 'Failing',
  suspended: 'Suspended',
  unreachable: 'Unreachable',
}

/** A state with its own word, or with another one. */
export const shown = (state: ShownState, word = stateNames[state]): Shown => ({ state, word })

/** The state of an object of the hub, from its status and what it waits for. */
export const shownStateOf = (object: KubernetesObject): Shown => {
  const { state } = objectStateOf(object)
  if (object.metadata.deletionTimestamp && state !== 'suspended') return shown('progressing', 'Being deleted')
  const isTrue = (type: string) => statusCondition(object, type)?.status === 'True'
  const reason = statusCondition(object, 'Ready')?.reason
  return shownFrom({ state, reason: isTrue(pruneGuarded) ? pruneGuarded : reason, isWaiting: isTrue(waitingCondition) })
}

interface Observed {
  readonly state: ObjectState['state']
  /** Of the condition Ready. */
  readonly reason?: string | undefined
  readonly isWaiting: boolean
}

/** From what the hub says of a unit in a list. */
export const shownFrom = ({ state, reason, isWaiting }: Observed): Shown => {
  if (state === 'suspended') return shown('suspended')
  if (reason === pruneGuarded) return shown('waiting', 'Held')
  if (reason === clusterUnreachable && state !== 'ready') return shown('unreachable')
  if (state === 'failed') return shown('failing')
  if (state === 'stalled') return shown('failing', 'Stalled')
  return isWaiting ? shown('waiting') : shown(state)
}

/** The state of a cluster: of its probe, else of its units. */
export const stateOfCluster = ({ name, state, ready, failing }: ClusterSummary): Shown => {
  if (name === undefined) return failing.length > 0 ? shown('failing') : shown('suspended', 'Not probed')
  if (state === 'suspended') return shown('suspended')
  if (ready === 'False') return shown('unreachable')
  if (failing.length > 0) return shown('failing')
  return shownFrom({ state: state ?? 'progressing', isWaiting: false })
}

/** The state of a cause of failures, by its reason. */
export const stateOfCause = ({ severity, reason }: { readonly severity: string; readonly reason: string }): Shown => {
  if (reason === clusterUnreachable) return shown('unreachable')
  if (reason === pruneGuarded) return shown('waiting', 'Held')
  return severity === 'warning' ? shown('waiting', 'Warning') : shown('failing')
}

/** The state of a Run, by its result. */
export const stateOfRun = (result: string): Shown => {
  switch (result) {
    case 'Succeeded':
      return shown('ready', 'Succeeded')
    case 'Failed':
    case 'Stalled':
      return shown('failing', result)
    case 'Progressing':
      return shown('progressing')
    case 'Deleted':
      return shown('suspended', 'Deleted')
    default:
      return shown('waiting', result)
  }
}

/** The state of a call of a webhook, by its result. */
export const stateOfDelivery = (result: string): Shown => {
  switch (result) {
    case 'Triggered':
    case 'Ping':
      return shown('ready', result)
    case 'Refused':
    case 'Failed':
      return shown('failing', result)
    case 'Unavailable':
      return shown('waiting', result)
    default:
      return shown('suspended', result)
  }
}
