/** A pin: the RolloutRun whose artifact a unit takes from a source, in place of the newest one. */
import type { KubernetesObject } from '../kinds/object.ts'
import { pinAnnotation, pinnedCondition, proposedAnnotation, rolloutsAnnotation } from '../kinds/rollout.ts'
import type { PinnedSource, RolloutRun } from '../kinds/rollout-run.ts'
import type { NewCondition } from './conditions.ts'

export interface Pin {
  readonly namespace: string
  /** Name of the RolloutRun. */
  readonly run: string
  /** When the unit got it, in milliseconds since the epoch. */
  readonly since: number
}

/** The value of the annotation: `NAMESPACE/NAME@TIME`. */
export const pinText = ({ namespace, run, since }: Pin): string =>
  `${namespace}/${run}@${new Date(since).toISOString()}`

/** The pin of a unit; undefined without one, or if the annotation can't be understood. */
export const pinOf = ({ metadata }: KubernetesObject): Pin | undefined => {
  const [, namespace = '', run = '', time = ''] =
    /^([a-z0-9-]+)\/([a-z0-9.-]+)@(\S+)$/.exec(metadata.annotations?.[pinAnnotation] ?? '') ?? []
  const since = Date.parse(time)
  return run === '' || Number.isNaN(since) ? undefined : { namespace, run, since }
}

/** `RolloutRun apps/web-7`. */
export const runOfPin = ({ namespace, run }: Pick<Pin, 'namespace' | 'run'>): string => `RolloutRun ${namespace}/${run}`

/** What becomes of the pin of a unit that is undone, as a part of a sentence; empty without a pin. */
export const unheld = (unit: KubernetesObject): string => {
  const pin = pinOf(unit)
  return pin ? `${runOfPin(pin)} leaves it alone until then; ` : ''
}

/** The condition that a pass leaves which took the pinned artifact: from it the run knows that the unit has tried. */
export const pinnedBy = (
  pin: Pin,
  { artifact: { revision, digest } }: PinnedSource,
  { spec: { inputs = [] } }: Pick<RolloutRun, 'spec'>,
): NewCondition => {
  const withInputs = inputs.map(({ kind, name, digest }) => `, with ${kind} ${name} of digest ${digest}`).join('')
  const since = new Date(pin.since).toISOString()
  return {
    status: 'True',
    reason: pinnedCondition,
    message: `${runOfPin(pin)} holds it at revision ${revision}, digest ${digest}${withInputs}, since ${since}`,
  }
}

/** The RolloutRun whose revision is planned for a unit. */
export const proposalOf = ({ metadata }: KubernetesObject): Pick<Pin, 'namespace' | 'run'> | undefined => {
  const [, namespace = '', run = ''] =
    /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(metadata.annotations?.[proposedAnnotation] ?? '') ?? []
  return run === '' ? undefined : { namespace, run }
}

export const isSameRun = (one: Pick<Pin, 'namespace' | 'run'>, other: Pick<Pin, 'namespace' | 'run'> | undefined) =>
  one.namespace === other?.namespace && one.run === other.run

/** The Rollouts that a Namespace names, as namespace and name. */
export const rolloutsIn = (
  namespace: KubernetesObject | undefined,
): readonly { readonly namespace: string; readonly name: string }[] =>
  (namespace?.metadata.annotations?.[rolloutsAnnotation] ?? '')
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
    .map(text => {
      const slash = text.indexOf('/')
      const own = namespace!.metadata.name
      return { namespace: slash < 0 ? own : text.slice(0, slash), name: text.slice(slash + 1) }
    })
