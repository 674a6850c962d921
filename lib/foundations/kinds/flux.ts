/** Common to the kinds of Flux: references, durations, and the status of every reconciler. */
import { durationMs } from './duration.ts'
import type { PrinterColumn } from './kind.ts'
import type { Condition, KubernetesObject } from './object.ts'
import type { Schema } from './schema/schema.ts'
import { integer, list, object, oneOf, optional, text } from './schema/schema.ts'

/** A new value of this annotation requests a reconciliation; the status then reports the value. */
export const requestedAtAnnotation = 'reconcile.fluxcd.io/requestedAt'
/** On a HelmRelease: with the same value as `requestedAtAnnotation`, its failures are counted from zero. */
export const resetAtAnnotation = 'reconcile.fluxcd.io/resetAt'
/** The same: it installs or upgrades, whether anything has changed or not. On a ResourceSetInputProvider: it runs outside of its schedule. */
export const forceAtAnnotation = 'reconcile.fluxcd.io/forceAt'
/** Keelson's own annotation: who made the request in `requestedAtAnnotation`. */
export const requestedByAnnotation = 'keelson.dev/requested-by'
/** Keelson's own annotation: who suspended the object, while it is suspended. */
export const suspendedByAnnotation = 'keelson.dev/suspended-by'
/** Keelson's own annotation: why the object is suspended. */
export const suspendedForAnnotation = 'keelson.dev/suspended-for'

const durationPattern = String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`

/** A Go duration, as in `10m` or `1h30m`. */
export const duration = (description: string, constraints: { readonly default?: string } = {}): Schema<string> =>
  text(description, { ...constraints, pattern: durationPattern })

/** Refers to an object in the same namespace. */
export const localReference = (description: string) =>
  object(description, { name: text('Name of the referenced object.') })

/** metav1.Condition. The static type is the one in object.ts. */
const condition: Schema<Condition> = object('One aspect of the current state.', {
  type: text('Type of the condition, such as Ready.', {
    maxLength: 316,
    pattern: String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
  }),
  status: oneOf('Status of the condition.', ['True', 'False', 'Unknown']),
  reason: text('Reason of the status, in one CamelCase word.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: text('Human-readable message. May be empty.', { maxLength: 32768 }),
  lastTransitionTime: text('Time of the last transition of the status.', { format: 'date-time' }),
  observedGeneration: optional(
    integer('Generation of the object that the condition describes.', { format: 'int64', minimum: 0 }),
  ),
})

/** Status fields of every reconciled kind, to spread into a status schema. */
export const reconciledStatus = {
  conditions: optional(list('Current conditions of the object.', condition)),
  observedGeneration: optional(integer('Generation that was last reconciled.', { format: 'int64' })),
  lastHandledReconcileAt: optional(text(`Value of the annotation ${requestedAtAnnotation} that was last acted upon.`)),
}

/** The status before the first reconciliation. */
export const initialStatus = { default: { observedGeneration: -1 } }

export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

/** The columns for the Ready condition. */
export const readyColumns: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
]

type Recurring = KubernetesObject & { readonly spec: { readonly interval: string } }

export const isSuspended = ({ spec }: KubernetesObject): boolean =>
  (spec as { readonly suspend?: unknown } | undefined)?.suspend === true

/** Milliseconds between two reconciliations, before jitter. */
export const intervalOf = (object: Recurring): number => durationMs(object.spec.interval)

/** The value of the annotation that requests a reconciliation. */
export const requestedAtOf = (object: KubernetesObject): string | undefined =>
  object.metadata.annotations?.[requestedAtAnnotation]

/** Whether a reconciliation was requested that no pass has started yet; removing the annotation requests none. */
export const isReconcileRequested = (
  object: KubernetesObject,
  status = object.status as { readonly lastHandledReconcileAt?: string } | undefined,
): boolean => {
  const requestedAt = requestedAtOf(object)
  return requestedAt !== undefined && requestedAt !== (status?.lastHandledReconcileAt ?? '')
}
