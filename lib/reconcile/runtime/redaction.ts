import { maskMessage } from '../../clusters/client/mask-secret.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import type { NotesOfPass } from './pass-notes.ts'
import type { NewEvent } from './reconciler.ts'
import type { ReconciledStatus } from './transitions.ts'

/** Masks the values of Secrets in a text. */
export type Redact = (text: string) => string

/**
 * Masks what a pass knows from Secrets in what it says about a failure: a cluster that refuses an object quotes its values, as does a chart that
 * fails, and Flux shows that to all who may read the object. What its spec and the names of the objects that it applies show stays.
 */
export const redaction =
  ({ metadata, spec }: KubernetesObject, notes: Pick<NotesOfPass, 'all'>): Redact =>
  text => {
    const { secrets, objects = () => [] } = notes.all()
    if (!secrets) return text
    const names = [metadata, ...objects().map(({ metadata }) => metadata)].map(({ name, namespace }) => [
      namespace,
      name,
    ])
    const shown = () => JSON.stringify([names, spec])
    return maskMessage(secrets(), text, value => shown().includes(value))
  }

/** The status with the messages of new failures redacted. */
export const redactedStatus = (before: ReconciledStatus, after: ReconciledStatus, redact: Redact): ReconciledStatus => {
  const { conditions } = after
  if (!conditions || conditions === before.conditions) return after
  const shown = conditions.map(condition => (isFailure(condition) ? redactedMessage(condition, redact) : condition))
  return { ...after, conditions: shown }
}

const isFailure = ({ type, status }: Condition): boolean =>
  status === 'False' || type === 'Stalled' || type === 'Reconciling'

const redactedMessage = <T extends { readonly message: string }>(said: T, redact: Redact): T => {
  const message = redact(said.message)
  return message === said.message ? said : { ...said, message }
}

/**
 * The event, with its message redacted if it reports a failure: others quote nothing that a cluster or source has said.
 */
export const redactedEvent = (event: NewEvent, redact: Redact): NewEvent =>
  event.severity === 'error' ? redactedMessage(event, redact) : event

/** The same error, with its causes, or a copy without values. */
export const redactedError = (error: unknown, redact: Redact): unknown => {
  if (typeof error === 'string') return redact(error)
  if (!(error instanceof Error)) return error
  const [message, cause] = [redact(error.message), redactedError(error.cause, redact)]
  return message === error.message && cause === error.cause ? error : new Error(message, { cause })
}
